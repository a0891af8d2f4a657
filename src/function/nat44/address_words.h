// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "function/nat44/nat44_ref.h"

namespace packetwarp::nat {

// The words of an address_map, for who changes it: a copy, and what has to be written to the map to make it the same,
// word by word in this order. Whoever looks something up meanwhile finds what was there before or what is there after.
class address_words {
 public:
  explicit address_words(std::size_t words) : words_(words) {}

  // value: not 0. False: no room; nothing is changed.
  [[nodiscard]] bool set(wire::ipv4_address address, std::uint32_t value);
  // Words of what has been erased stay in the way of others until there is nothing behind them.
  void erase(wire::ipv4_address address);

  struct edit {
    std::size_t at;
    std::uint64_t word;
  };
  // Since the last call.
  [[nodiscard]] std::vector<edit> take_edits() { return std::exchange(edits_, {}); }

 private:
  static constexpr std::size_t nowhere = ~std::size_t{0};
  [[nodiscard]] std::size_t find(wire::ipv4_address address) const;
  void put(std::size_t at, std::uint64_t word);
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (words_.size() - 1); }

  std::vector<std::uint64_t> words_;  // a power of two
  std::size_t used_{};                // not zero
  std::vector<edit> edits_;
};

}  // namespace packetwarp::nat
