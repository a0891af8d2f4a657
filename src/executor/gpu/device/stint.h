// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

namespace packetwarp {

// A stint is one run of a graph's kernel: it works on bursts as they are given, up to so many, and ends.

// What a block of the kernel keeps from stint to stint, in GPU memory, on a line of its own. Zero at first.
struct alignas(128) stint_state {
  std::uint64_t stints;   // ended
  std::uint64_t next[2];  // position of the first burst not taken, where even stints and where odd stints begin
};
static_assert(std::is_trivially_copyable_v<stint_state> && sizeof(stint_state) == 128);

// A ring's stints as the kernel gets them: by value. Owns nothing.
struct stint_ref {
  stint_state* states;   // of each block
  std::uint64_t* begun;  // host memory, written by the GPU: how many stints have begun
  std::uint64_t bursts;  // a stint, at most
};
static_assert(std::is_trivially_copyable_v<stint_ref>);

}  // namespace packetwarp
