// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace packetwarp::inspect {

// Bytes with which windows begin, in eight sets of windows that have similar first bytes: for each of the first four
// bytes and each value of its lower or upper six bits, the sets that have it there. A text of other bytes, as most
// binary ones, is passed over 64 positions at a time.
struct first_bytes_sets {
  static constexpr std::uint32_t bytes = 4;
  static constexpr std::uint32_t values = 64;

  alignas(64) std::uint8_t lower[bytes][values]{};
  alignas(64) std::uint8_t upper[bytes][values]{};

  // first: a window's first four bytes, the first one lowest.
  void add(std::uint32_t first);
};

// The first pass over a text: what window_search does for each of its bytes.
struct first_pass {
  // Bytes that may be read, and need not mean anything, after a text in lower case and the zeroes after it.
  static constexpr std::uint32_t read_beyond = 64 + 3;

  // Writes the bytes to `out` with ASCII letters in lower case.
  void (*fold)(unsigned char const* in, std::uint32_t size, unsigned char* out);
  // Writes the positions [begin, end) of the folded text whose four bytes pass the filter (may_begin_window), in order.
  // passed: room for end - begin of them. Returns how many pass.
  // sets: of the filter's windows.
  std::uint32_t (*find)(std::uint64_t const* filter, first_bytes_sets const& sets, unsigned char const* folded,
                        std::uint32_t begin, std::uint32_t end, std::uint32_t* passed);
};

// For any CPU.
[[nodiscard]] first_pass plain_first_pass();
// By AVX-512 (with VBMI), 64 bytes and 32 positions at a time; only for CPUs that have it.
[[nodiscard]] bool has_first_pass_avx512();
[[nodiscard]] first_pass first_pass_avx512();
// The quickest one that this CPU has.
[[nodiscard]] first_pass best_first_pass();

}  // namespace packetwarp::inspect
