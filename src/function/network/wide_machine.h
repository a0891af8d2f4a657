// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "function/network/matrix_unit.h"

namespace packetwarp::network_parts {

// A thread of a GPU's block, as wide_tile.h calls it. Before compute capability 8.0 a copy to shared memory is done
// when it is begun.
class wide_machine {
 public:
  HOST_DEVICE_COPIED explicit wide_machine(unsigned thread) : thread_{thread} {}

  [[nodiscard]] HOST_DEVICE_COPIED unsigned thread() const { return thread_; }
  HOST_DEVICE_COPIED static void sync() {
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
  }
  HOST_DEVICE_COPIED static void copy_16([[maybe_unused]] std::byte* to, [[maybe_unused]] std::int8_t const* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
#elif defined(__CUDA_ARCH__)
    *reinterpret_cast<uint4*>(to) = *reinterpret_cast<uint4 const*>(from);
#endif
  }
  HOST_DEVICE_COPIED static void close() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
  }
  template <unsigned Pending>
  HOST_DEVICE_COPIED static void await_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
  }
  // Lane l gets bytes 4 x (l % 4) to 4 x (l % 4) + 3 of row l / 4 of each matrix (PTX ISA, ldmatrix).
  HOST_DEVICE_COPIED static void load_matrices([[maybe_unused]] std::uint32_t (&to)[4],
                                               [[maybe_unused]] std::byte const* row) {
#if defined(__CUDA_ARCH__)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
#endif
  }
  HOST_DEVICE_COPIED static void multiply_add(std::int32_t (&sums)[4], std::uint32_t const (&low)[2],
                                              std::uint32_t const (&high)[2], std::uint32_t low_weights,
                                              std::uint32_t high_weights) {
    matrix_unit::multiply_add(sums, low, high, low_weights, high_weights);
  }

 private:
#if defined(__CUDA_ARCH__)
  [[nodiscard]] __device__ __forceinline__ static std::uint32_t shared_address(std::byte const* at) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
  }
#endif

  unsigned thread_;
};

}  // namespace packetwarp::network_parts
