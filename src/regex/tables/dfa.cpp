// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/tables/dfa.h"

#include <cstring>
#include <string>
#include <unordered_map>

#include "regex/automaton.h"
#include "regex/tables/bit_rows.h"

namespace packetwarp::regex {
namespace {

// The subset construction: a state is a set of positions.
class dfa_maker {
 public:
  dfa_maker(positions const& of, byte_classes const& classes)
      : classes_{classes},
        follow_{of.size(), of.size()},
        takes_{classes.examples.size(), of.size()},
        width_{static_cast<std::uint32_t>(classes.examples.size()) + 1},
        accepting_(follow_.width()),
        ending_(follow_.width()) {
    for (std::size_t i = 0; i < of.size(); ++i) {
      for (auto const next : of[i].next) follow_.set(i, next);
      if (of[i].accepts) set_bit(accepting_, i);
      if (of[i].accepts_at_end) set_bit(ending_, i);
      for (std::size_t c = 0; c < classes.examples.size(); ++c) {
        if (of[i].bytes.has(classes.examples[c])) takes_.set(c, i);
      }
    }
  }

  [[nodiscard]] std::optional<std::vector<std::uint64_t>> make() {
    bit_words first(follow_.width());
    set_bit(first, 0);
    start_ = state_of(first);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      bool const is_too_large = states_.size() > most_states || bytes() > most_table_bytes;
      if (is_too_large) return std::nullopt;
      expand(i);
    }
    if (states_.size() > most_states || bytes() > most_table_bytes) return std::nullopt;
    return image();
  }

 private:
  [[nodiscard]] std::size_t bytes() const {
    return sizeof(automaton_header) + (dfa_state::first + states_.size() * width_) * sizeof(std::uint16_t);
  }

  // The number of a set, by which entries call it.
  [[nodiscard]] std::uint32_t state_of(bit_words const& set) {
    if (have_common(set, accepting_)) return dfa_state::accepted;
    if (is_zero(set)) return dfa_state::dead;
    auto const text = std::string{reinterpret_cast<char const*>(set.data()), set.size() * sizeof(std::uint64_t)};
    auto const [found, is_new] = numbers_.try_emplace(text, static_cast<std::uint32_t>(states_.size()));
    if (is_new) states_.push_back(set);
    return dfa_state::first + found->second * width_;
  }

  void expand(std::size_t number) {
    auto const from = states_[number];
    bit_words all(from.size());
    for_bits(from, [&](std::size_t i) { follow_.add_to(all, i); });
    entries_.push_back(static_cast<std::uint16_t>(have_common(from, ending_) ? dfa_state::accepted : dfa_state::dead));
    for (std::size_t c = 0; c < classes_.examples.size(); ++c) {
      auto next = all;
      takes_.keep_in(next, c);
      entries_.push_back(static_cast<std::uint16_t>(state_of(next)));
    }
  }

  [[nodiscard]] std::vector<std::uint64_t> image() const {
    automaton_header header{.kind = automaton_kind::dfa,
                            .bytes = 0,
                            .classes = width_ - 1,
                            .start = start_,
                            .words = 0,
                            .groups = 0,
                            .class_of = {}};
    std::vector<std::uint64_t> made((bytes() + 7) / 8);
    header.bytes = static_cast<std::uint32_t>(made.size() * 8);
    std::memcpy(header.class_of, classes_.class_of.data(), sizeof header.class_of);
    auto* const base = reinterpret_cast<std::byte*>(made.data());
    std::memcpy(base, &header, sizeof header);
    if (!entries_.empty())
      std::memcpy(base + sizeof header + dfa_state::first * sizeof entries_[0], entries_.data(),
                  entries_.size() * sizeof entries_[0]);
    return made;
  }

  byte_classes const& classes_;
  bit_rows follow_;
  bit_rows takes_;       // by class
  std::uint32_t width_;  // entries of a row
  bit_words accepting_;
  bit_words ending_;
  std::vector<bit_words> states_{};
  std::unordered_map<std::string, std::uint32_t> numbers_{};
  std::vector<std::uint16_t> entries_{};
  std::uint32_t start_{};
};

}  // namespace

std::optional<std::vector<std::uint64_t>> make_dfa(positions const& of, byte_classes const& classes) {
  return dfa_maker{of, classes}.make();
}

}  // namespace packetwarp::regex
