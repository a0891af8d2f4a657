// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "function/nat44/nat44_ref.h"

namespace packetwarp::nat {

// The words of an address_map, for the thread that changes it: a copy, and the edits that make the map equal to it,
// word by word in this order. A lookup meanwhile finds the old state of an address or the new one.
class address_words {
 public:
  explicit address_words(std::size_t words) : words_(words) {}

  // value: not 0. False: the table has no room; nothing is changed.
  [[nodiscard]] bool set(wire::ipv4_address address, std::uint32_t value);
  // An erased word still blocks its place until no word of its chain follows it.
  void erase(wire::ipv4_address address);

  struct edit {
    std::size_t at;
    std::uint64_t word;
  };
  // The edits since the last call.
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
