// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "burst/near_header.h"
#include "executor/gpu/joint/batch.h"
#include "executor/gpu/joint/rooms.h"
#include "function/function.h"
#include "memory/placement.h"

struct CUstream_st;  // what cudaStream_t points to

namespace packetwarp {

// A header in shared memory, and the room in front of it: an odd number of words, so that threads that look at the same
// byte of theirs look at different banks.
inline constexpr std::size_t near_stride = near_headroom + near_bytes + sizeof(std::uint32_t);
static_assert(near_stride / sizeof(std::uint32_t) % 2 == 1);

// Bytes of a function's reference to its tables that a kernel takes by value.
inline constexpr std::size_t most_tables_by_value = 1024;

// A function as GPU code: its kernels, and the reference to its tables that each of them takes. A function's
// instance is made by the build (instance.cu.in), so that a new one changes no executor.
//
// Each kernel's parameters: offload_ring_ref, what is named below, and F::ref.
struct gpu_program {
  void const* persistent{};  // one polling warp a block, the others work
  void const* batch{};       // std::uint64_t first, std::uint32_t count: bursts of the ring. A unit a warp
  void const* stint{};       // stint_ref: what a graph launches, in blocks of whole warps
  // Of a function whose joint work is done by kernels of its own, these in their place (batch.h).
  struct {
    void const* gather{};  // batch_ref: packets of a batch gather
    // Puts the kernels that do the work into a stream. tables: F::ref
    void (*work)(CUstream_st*, batch_ref const&, void const* tables){};
    void const* finish{};      // batch_ref: packets of a batch get their verdicts
    std::size_t room_bytes{};  // of a group, in GPU memory
  } own;
  // Of shared memory: what a thread has for the header of its packet, 0 where the function works on packets where they
  // lie; and what a warp has for the room of a function that works on packets together, 0 for another.
  std::size_t header_bytes{};
  std::size_t room_bytes{};
  std::string_view name{};  // the function's
  // What each kernel takes last: F::ref, or where that is too long, where it lies in GPU memory (device/tables.cuh).
  alignas(16) std::array<std::byte, most_tables_by_value> tables{};
  std::vector<std::byte> long_tables{};  // F::ref, where it is too long: for the executor to bring to the GPU

  // F::ref as host code reads it.
  [[nodiscard]] void const* tables_on_host() const {
    return long_tables.empty() ? static_cast<void const*>(tables.data()) : long_tables.data();
  }
};

// Defined in the function's instance.
template <packet_function F>
[[nodiscard]] gpu_program make_gpu_program(typename F::ref const& tables, packet_route route);

}  // namespace packetwarp
