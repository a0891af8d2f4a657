// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "burst/near_header.h"
#include "function/function.h"
#include "memory/placement.h"

namespace packetwarp {

// A header in shared memory, and the room in front of it: an odd number of words, so that threads that look at the same
// byte of theirs look at different banks.
inline constexpr std::size_t near_stride = near_headroom + near_bytes + sizeof(std::uint32_t);
static_assert(near_stride / sizeof(std::uint32_t) % 2 == 1);

// Threads of a block of a persistent kernel: so few that each has 128 registers, the most that a function asks for, and
// little to keep in memory.
inline constexpr unsigned persistent_threads = 512;

// A function as GPU code: its kernels, and the reference to its tables that each of them takes by value. A function's
// instance is made by the build (instance.cu.in), so that a new one changes no executor.
//
// Each kernel's parameters: offload_ring_ref, what is named below, and F::ref.
struct gpu_program {
  void const* persistent{};    // one polling warp a block, the others work
  void const* batch{};         // std::uint64_t first, std::uint32_t count: bursts of the ring. A unit a warp
  void const* stint{};         // stint_ref: what a graph launches, in blocks of whole warps
  std::size_t shared_bytes{};  // a thread: for the header of its packet; 0 where the function works on far ones
  alignas(16) std::array<std::byte, 384> tables{};
};

// Defined in the function's instance.
template <packet_function F>
[[nodiscard]] gpu_program make_gpu_program(typename F::ref const& tables, packet_route route);

}  // namespace packetwarp
