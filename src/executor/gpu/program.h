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
#include "executor/gpu/offload/offload_ring.h"
#include "function/function.h"
#include "memory/placement.h"

struct CUstream_st;  // the type that cudaStream_t points to

namespace packetwarp {

// A header in shared memory, and the room before it: an odd number of words, so that threads that read the same byte of
// their headers use different banks.
inline constexpr std::size_t near_stride = near_headroom + near_bytes + sizeof(std::uint32_t);
static_assert(near_stride / sizeof(std::uint32_t) % 2 == 1);

// A warp's share of a burst: one group of packets for a function that works in rounds, because its work is long, and
// two for others.
template <packet_function F>
inline constexpr std::uint32_t unit_packets_of = works_in_rounds<F> ? joint_packets : packets_per_unit;

// Bytes of a function's reference to its tables that a kernel takes by value.
inline constexpr std::size_t most_tables_by_value = 1024;

// A function as GPU code: its kernels, and the reference to its tables that each of them takes. A function's
// instance is made by the build (instance.cu.in), so that a new one changes no executor.
//
// Each kernel's parameters: offload_ring_ref, the ones named below, and F::ref.
struct gpu_program {
  std::uint32_t unit_packets{packets_per_unit};  // a warp's share of a burst
  void const* persistent{};                      // a block polls and works until it is told to stop
  void const* batch{};  // std::uint64_t first, std::uint32_t count: bursts of the ring, one unit per warp
  void const* stint{};  // stint_ref: the kernel of a graph's launches
  // Threads of a block of each of both.
  unsigned persistent_threads{};
  unsigned stint_threads{};
  // For a function whose joint work is done by kernels of its own, these in their place (batch.h).
  struct {
    void const* gather{};  // batch_ref: gathers the packets of a batch
    // Bytes that a batch of as many groups has beside its rooms.
    std::size_t (*beside)(std::uint32_t groups){};
    // Before the first launch. tables: F::ref. Returns a cudaError_t.
    int (*prepare)(gpu_bounds const&, void const* tables){};
    // Puts the kernels that do the work into a stream. tables: F::ref
    void (*work)(CUstream_st*, batch_ref const&, void const* tables){};
    void const* finish{};      // batch_ref: gives the packets of a batch their verdicts
    std::size_t room_bytes{};  // per group, in GPU memory
  } own;
  // Shared memory: per thread for the header of its packet, 0 if the function works on packets where they lie; and per
  // warp for the room of a function that works on packets together, 0 for another.
  std::size_t header_bytes{};
  std::size_t room_bytes{};
  std::string_view name{};  // the function's
  // The last parameter of each kernel: F::ref or, if that is too long, its address in GPU memory (device/tables.cuh).
  alignas(16) std::array<std::byte, most_tables_by_value> tables{};
  std::vector<std::byte> long_tables{};  // F::ref, if it is too long: the executor copies it to the GPU

  // F::ref as host code reads it.
  [[nodiscard]] void const* tables_on_host() const {
    return long_tables.empty() ? static_cast<void const*>(tables.data()) : long_tables.data();
  }
};

// Defined in the function's instance.
template <packet_function F>
[[nodiscard]] gpu_program make_gpu_program(typename F::ref const& tables, packet_route route);

}  // namespace packetwarp
