// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

namespace packetwarp {

// A stint is one run of a graph's kernel: it works on bursts as they are given, up to a fixed number, and ends.

// The state that a block of the kernel keeps from stint to stint, in GPU memory, on a line of its own. It starts as
// zeroes.
struct alignas(128) stint_state {
  std::uint64_t stints;   // that have ended
  std::uint64_t next[2];  // position of the first burst not taken, at the start of even and of odd stints
  std::uint64_t left;     // of the first block: stints that a block has left
};
static_assert(std::is_trivially_copyable_v<stint_state> && sizeof(stint_state) == 128);

// A ring's stints in the form that a kernel takes by value. It owns nothing.
struct stint_ref {
  stint_state* states;   // one per block
  std::uint64_t* begun;  // host memory, written by the GPU: the number of stints that have begun
  std::uint64_t bursts;  // most per stint
};
static_assert(std::is_trivially_copyable_v<stint_ref>);

}  // namespace packetwarp
