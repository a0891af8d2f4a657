// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "function/function.h"
#include "memory/placement.h"

namespace packetwarp {

// A function as GPU code: its kernels, and the reference to its tables that each of them takes by value. A function's
// instance is made by the build (instance.cu.in), so that a new one changes no executor.
//
// Each kernel's parameters: offload_ring_ref, what is named below, and F::ref.
struct gpu_program {
  void const* persistent{};  // one polling warp and 31 working warps a block
  void const* batch{};       // std::uint64_t first, std::uint32_t count: bursts of the ring. A unit a warp
  void const* stint{};       // stint_ref: what a graph launches, in blocks of whole warps
  alignas(16) std::array<std::byte, 256> tables{};
};

// Defined in the function's instance.
template <packet_function F>
[[nodiscard]] gpu_program make_gpu_program(typename F::ref const& tables, packet_route route);

}  // namespace packetwarp
