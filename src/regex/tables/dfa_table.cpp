// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/tables/dfa_table.h"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "regex/automaton.h"

namespace packetwarp::regex {
namespace {

// Entries that dividing the states may read.
constexpr std::uint64_t most_reads = 200'000;

// States that differ in no answer get the same number (Moore's algorithm): groups of states are divided by the groups
// that their entries lead to, until none is.
class state_groups {
 public:
  explicit state_groups(dfa_table const& of) : of_{of}, group_of_(of.rows() + dfa_state::first, dfa_state::first) {
    group_of_[dfa_state::dead] = dfa_state::dead;
    group_of_[dfa_state::accepted] = dfa_state::accepted;
  }

  // False: it would take too many steps.
  [[nodiscard]] bool divide() {
    std::uint64_t reads = 0;
    std::size_t before = 0;
    do {
      before = count_;
      reads += of_.entries.size();
      if (reads > most_reads) return false;
      divide_once();
    } while (count_ != before);
    return true;
  }
  [[nodiscard]] std::uint32_t group_of(std::uint32_t state) const { return group_of_[state]; }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  void divide_once() {
    std::unordered_map<std::u16string, std::uint32_t> numbers;
    auto next = group_of_;
    std::u16string key(of_.width + 1, u'\0');
    for (std::size_t row = 0; row < of_.rows(); ++row) {
      auto const* const entries = of_.entries.data() + row * of_.width;
      key[0] = static_cast<char16_t>(group_of_[row + dfa_state::first]);
      for (std::size_t i = 0; i < of_.width; ++i) key[i + 1] = static_cast<char16_t>(group_of_[entries[i]]);
      auto const number = static_cast<std::uint32_t>(numbers.size()) + dfa_state::first;
      next[row + dfa_state::first] = numbers.try_emplace(key, number).first->second;
    }
    group_of_ = std::move(next);
    count_ = numbers.size();
  }

  dfa_table const& of_;
  std::vector<std::uint32_t> group_of_;  // by state
  std::size_t count_{};
};

[[nodiscard]] dfa_table with_fewer_states(dfa_table of) {
  state_groups groups{of};
  if (!groups.divide()) return of;
  dfa_table made{.start = groups.group_of(of.start), .width = of.width, .entries = {}, .class_of = of.class_of};
  made.entries.resize(groups.count() * of.width);
  for (std::size_t i = 0; i < of.entries.size(); ++i) {
    auto const row = groups.group_of(static_cast<std::uint32_t>(i / of.width) + dfa_state::first) - dfa_state::first;
    made.entries[row * of.width + i % of.width] = groups.group_of(of.entries[i]);
  }
  return made;
}

// Classes that lead to the same states everywhere become one.
[[nodiscard]] dfa_table with_fewer_classes(dfa_table of) {
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;  // of columns
  std::vector<std::uint32_t> kept{0};                           // columns; the first is that of the text's end
  std::vector<std::uint8_t> new_class(of.width - 1);
  for (std::uint32_t column = 1; column < of.width; ++column) {
    std::vector<std::uint32_t> states;
    for (std::size_t row = 0; row < of.rows(); ++row) states.push_back(of.entries[row * of.width + column]);
    auto const [found, is_new] = numbers.try_emplace(std::move(states), static_cast<std::uint32_t>(numbers.size()));
    if (is_new) kept.push_back(column);
    new_class[column - 1] = static_cast<std::uint8_t>(found->second);
  }
  dfa_table made{
      .start = of.start, .width = static_cast<std::uint32_t>(kept.size()), .entries = {}, .class_of = of.class_of};
  for (auto& number : made.class_of) number = new_class[number];
  for (std::size_t row = 0; row < of.rows(); ++row) {
    for (auto const column : kept) made.entries.push_back(of.entries[row * of.width + column]);
  }
  return made;
}

}  // namespace

dfa_table minimized(dfa_table of) { return with_fewer_classes(with_fewer_states(std::move(of))); }

}  // namespace packetwarp::regex
