// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/nat44/address_words.h"

#include <utility>

namespace packetwarp::nat {
namespace {

[[nodiscard]] constexpr bool is_of(std::uint64_t word, wire::ipv4_address address) {
  return word != 0 && word >> 32 == address.number;
}
[[nodiscard]] constexpr bool is_erased(std::uint64_t word) {
  return word != 0 && static_cast<std::uint32_t>(word) == 0;
}

}  // namespace

std::size_t address_words::find(wire::ipv4_address address) const {
  for (auto at = address_map::start_of(address) & (words_.size() - 1); words_[at] != 0; at = next(at)) {
    if (is_of(words_[at], address)) return at;
  }
  return nowhere;
}

bool address_words::set(wire::ipv4_address address, std::uint32_t value) {
  auto const word = std::uint64_t{address.number} << 32 | value;
  auto at = find(address);
  if (at == nowhere) {
    at = address_map::start_of(address) & (words_.size() - 1);
    while (words_[at] != 0 && !is_erased(words_[at])) at = next(at);
    // A quarter of the words stays zero: a lookup of an address that is not in the table ends at a word of zero.
    if (words_[at] == 0 && (used_ + 1) * 4 > words_.size() * 3) return false;
  }
  if (words_[at] != word) put(at, word);
  return true;
}

void address_words::erase(wire::ipv4_address address) {
  auto at = find(address);
  if (at == nowhere || is_erased(words_[at])) return;
  put(at, std::uint64_t{address.number} << 32);
  // An erased word directly before a word of zero stands in no lookup's way.
  auto const before = words_.size() - 1;
  while (is_erased(words_[at]) && words_[next(at)] == 0) {
    put(at, 0);
    at = (at + before) & before;
  }
}

void address_words::put(std::size_t at, std::uint64_t word) {
  used_ += (word != 0 ? 1U : 0U);
  used_ -= (words_[at] != 0 ? 1U : 0U);
  words_[at] = word;
  edits_.push_back({at, word});
}

}  // namespace packetwarp::nat
