// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/tables/bit_nfa.h"

#include <bit>
#include <cstring>
#include <map>

#include "regex/automaton.h"
#include "regex/refusal.h"

namespace packetwarp::regex {
namespace {

class bit_nfa_maker {
 public:
  bit_nfa_maker(positions const& of, byte_classes const& classes)
      : of_{of}, classes_{classes}, words_{std::bit_ceil((of.size() + 63) / 64)} {}

  [[nodiscard]] std::vector<std::uint64_t> make() {
    if (of_.size() > most_bits) throw refused{refusal::positions};
    // Positions that lead to the same ones, beside the next one and themselves.
    std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> groups;
    sets_.resize((nfa_set::takes + classes_.examples.size()) * words_);
    for (std::uint32_t i = 0; i < of_.size(); ++i) {
      add_classes(i);
      if (auto others = add_next(i); !others.empty()) groups[std::move(others)].push_back(i);
    }
    if (groups.size() > most_groups) throw refused{refusal::exceptions};
    for (auto const& [to, from] : groups) {
      auto const number = sets_.size() / words_;
      sets_.resize(sets_.size() + 2 * words_);
      for (auto const i : from) set_bit(number, i);
      for (auto const i : to) set_bit(number + 1, i);
    }
    return image(groups.size());
  }

 private:
  void set_bit(std::size_t set, std::uint32_t bit) { sets_[set * words_ + bit / 64] |= std::uint64_t{1} << bit % 64; }
  void add_classes(std::uint32_t number) {
    if (of_[number].accepts) set_bit(nfa_set::accepts, number);
    if (of_[number].accepts_at_end) set_bit(nfa_set::accepts_at_end, number);
    for (std::size_t c = 0; c < classes_.examples.size(); ++c) {
      if (of_[number].bytes.has(classes_.examples[c])) set_bit(nfa_set::takes + c, number);
    }
  }
  [[nodiscard]] std::vector<std::uint32_t> add_next(std::uint32_t number) {
    std::vector<std::uint32_t> others;
    for (auto const next : of_[number].next) {
      if (next == number + 1) {
        set_bit(nfa_set::shift, number);
      } else if (next == number) {
        set_bit(nfa_set::loop, number);
      } else {
        others.push_back(next);
      }
    }
    if (!others.empty()) set_bit(nfa_set::exceptional, number);
    return others;
  }
  [[nodiscard]] std::vector<std::uint64_t> image(std::size_t groups) const {
    std::vector<std::uint64_t> made(sizeof(automaton_header) / 8);
    made.insert(made.end(), sets_.begin(), sets_.end());
    automaton_header header{.kind = automaton_kind::bit_nfa,
                            .bytes = static_cast<std::uint32_t>(made.size() * 8),
                            .classes = static_cast<std::uint32_t>(classes_.examples.size()),
                            .start = 0,
                            .words = static_cast<std::uint32_t>(words_),
                            .groups = static_cast<std::uint32_t>(groups),
                            .class_of = {}};
    std::memcpy(header.class_of, classes_.class_of.data(), sizeof header.class_of);
    std::memcpy(made.data(), &header, sizeof header);
    return made;
  }

  positions const& of_;
  byte_classes const& classes_;
  std::size_t words_;  // of a set
  std::vector<std::uint64_t> sets_{};
};

}  // namespace

std::vector<std::uint64_t> make_bit_nfa(positions const& of, byte_classes const& classes) {
  return bit_nfa_maker{of, classes}.make();
}

}  // namespace packetwarp::regex
