// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/tables/dfa.h"

#include <cstring>
#include <string>
#include <unordered_map>

#include "regex/automaton.h"
#include "regex/tables/bit_rows.h"
#include "regex/tables/dfa_table.h"

namespace packetwarp::regex {
namespace {

// The subset construction: a state is a set of positions.
class dfa_maker {
 public:
  dfa_maker(positions const& of, byte_classes const& classes)
      : classes_{classes},
        follow_{of.size(), of.size()},
        takes_{classes.examples.size(), of.size()},
        accepting_(follow_.width()),
        ending_(follow_.width()) {
    table_.width = static_cast<std::uint32_t>(classes.examples.size()) + 1;
    for (std::size_t i = 0; i < of.size(); ++i) {
      for (auto const next : of[i].next) follow_.set(i, next);
      if (of[i].accepts) set_bit(accepting_, i);
      if (of[i].accepts_at_end) set_bit(ending_, i);
      for (std::size_t c = 0; c < classes.examples.size(); ++c) {
        if (of[i].bytes.has(classes.examples[c])) takes_.set(c, i);
      }
    }
  }

  [[nodiscard]] std::optional<dfa_table> make() {
    bit_words first(follow_.width());
    set_bit(first, 0);
    table_.class_of = classes_.class_of;
    table_.start = state_of(first);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      expand(i);
      bool const is_too_large = states_.size() > most_made_states || states_.size() * table_.width > most_made_entries;
      if (is_too_large) return std::nullopt;
    }
    return std::move(table_);
  }

 private:
  // Before the states that are alike become one.
  static constexpr std::size_t most_made_states = std::size_t{2} * most_states;
  static constexpr std::size_t most_made_entries = std::size_t{2} * most_table_bytes / sizeof(std::uint16_t);

  // The number of a set.
  [[nodiscard]] std::uint32_t state_of(bit_words const& set) {
    if (have_common(set, accepting_)) return dfa_state::accepted;
    if (is_zero(set)) return dfa_state::dead;
    auto const text = std::string{reinterpret_cast<char const*>(set.data()), set.size() * sizeof(std::uint64_t)};
    auto const number = static_cast<std::uint32_t>(states_.size()) + dfa_state::first;
    auto const [found, is_new] = numbers_.try_emplace(text, number);
    if (is_new) states_.push_back(set);
    return found->second;
  }

  void expand(std::size_t number) {
    auto const from = states_[number];
    bit_words all(from.size());
    for_bits(from, [&](std::size_t i) { follow_.add_to(all, i); });
    table_.entries.push_back(have_common(from, ending_) ? dfa_state::accepted : dfa_state::dead);
    for (std::size_t c = 0; c < classes_.examples.size(); ++c) {
      auto next = all;
      takes_.keep_in(next, c);
      table_.entries.push_back(state_of(next));
    }
  }

  byte_classes const& classes_;
  bit_rows follow_;
  bit_rows takes_;  // by class
  bit_words accepting_;
  bit_words ending_;
  std::vector<bit_words> states_{};
  std::unordered_map<std::string, std::uint32_t> numbers_{};
  dfa_table table_{};
};

// An entry's value: the first entry of a state's row.
[[nodiscard]] std::uint32_t place_of(dfa_table const& in, std::uint32_t state) {
  return state < dfa_state::first ? state : dfa_state::first + (state - dfa_state::first) * in.width;
}

[[nodiscard]] std::vector<std::uint64_t> image_of(dfa_table const& of, std::size_t bytes) {
  automaton_header header{.kind = automaton_kind::dfa,
                          .bytes = 0,
                          .classes = of.width - 1,
                          .start = place_of(of, of.start),
                          .words = 0,
                          .groups = 0,
                          .class_of = {}};
  std::vector<std::uint64_t> made((bytes + 7) / 8);
  header.bytes = static_cast<std::uint32_t>(made.size() * 8);
  std::memcpy(header.class_of, of.class_of.data(), sizeof header.class_of);
  std::vector<std::uint16_t> entries(dfa_state::first);
  for (auto const state : of.entries) entries.push_back(static_cast<std::uint16_t>(place_of(of, state)));
  std::memcpy(made.data(), &header, sizeof header);
  std::memcpy(reinterpret_cast<std::byte*>(made.data()) + sizeof header, entries.data(),
              entries.size() * sizeof entries[0]);
  return made;
}

}  // namespace

std::optional<std::vector<std::uint64_t>> make_dfa(positions const& of, byte_classes const& classes) {
  auto made = dfa_maker{of, classes}.make();
  if (!made) return std::nullopt;
  auto const least = minimized(std::move(*made));
  auto const bytes = sizeof(automaton_header) + (dfa_state::first + least.entries.size()) * sizeof(std::uint16_t);
  if (least.rows() > most_states || bytes > most_table_bytes) return std::nullopt;
  return image_of(least, bytes);
}

}  // namespace packetwarp::regex
