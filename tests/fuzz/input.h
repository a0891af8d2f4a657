// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace packetwarp::fuzz {

// A condition that must hold for any input of a target.
inline void require(bool holds, char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (holds) return;
  (void)std::fprintf(stderr, "%s:%d: does not hold\n", file, line);
  std::abort();
}

// The fuzzer's bytes, read in order; zeroes follow the last one, so that every input is a whole scenario.
class input {
 public:
  input(std::uint8_t const* data, std::size_t size) : at_{data}, left_{size} {}

  [[nodiscard]] bool empty() const { return left_ == 0; }
  [[nodiscard]] std::size_t left() const { return left_; }
  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *at_++;
  }
  std::uint16_t word() {
    auto const high = byte();
    return static_cast<std::uint16_t>(high << 8 | byte());
  }
  // A number below `end`, which is 256 at most.
  unsigned below(unsigned end) { return byte() % end; }
  template <class T, std::size_t N>
  T one_of(T const (&choices)[N]) {
    return choices[below(N)];
  }
  std::vector<std::byte> bytes(std::size_t most) {
    auto const count = std::min(most, left_);
    auto const* const begin = reinterpret_cast<std::byte const*>(at_);
    std::vector<std::byte> taken{begin, begin + count};
    at_ += count;
    left_ -= count;
    return taken;
  }

 private:
  std::uint8_t const* at_;
  std::size_t left_;
};

}  // namespace packetwarp::fuzz
