// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/group.h"

namespace packetwarp {
namespace matrix_parts {

// A single sum, as a processor without a matrix unit makes it.
template <unsigned Inputs>
[[nodiscard]] HOST_DEVICE std::int32_t dot_product(std::int8_t const* row, std::int8_t const* weights) {
  std::int32_t sum = 0;
  for (unsigned i = 0; i < Inputs; ++i) sum += std::int32_t{row[i]} * weights[i];
  return sum;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
[[nodiscard]] __device__ inline std::uint32_t four_of(std::int8_t const* values) {
  return *reinterpret_cast<std::uint32_t const*>(values);
}

// 16 rows by 8 columns, over all inputs, on a tensor core (PTX ISA, mma.m16n8k32, says which lane has which element). A
// lane has the sums of two neighbouring columns in row lane / 4 and in the eighth row below it.
template <unsigned Inputs, unsigned Outputs>
__device__ void multiply_tile(std::int8_t const* rows, std::int8_t const* weights, std::int32_t* sums) {
  auto const lane = threadIdx.x % 32;
  auto const group = lane / 4;
  auto const within = lane % 4;
  std::int32_t c[4]{};
#pragma unroll
  for (unsigned k = 0; k < Inputs; k += 32) {
    auto const* const a = rows + group * Inputs + k + within * 4;
    auto const* const b = weights + group * Inputs + k + within * 4;
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(four_of(a)), "r"(four_of(a + 8 * Inputs)), "r"(four_of(a + 16)), "r"(four_of(a + 8 * Inputs + 16)),
          "r"(four_of(b)), "r"(four_of(b + 16)));
  }
  auto* const to = sums + group * Outputs + within * 2;
  to[0] = c[0];
  to[1] = c[1];
  to[8 * Outputs] = c[2];
  to[8 * Outputs + 1] = c[3];
}
#endif

}  // namespace matrix_parts

// The product of a group's rows, one per packet, and a matrix of weights: 8-bit integers, summed in 32 bits, so the
// result is the same, bit for bit, on every processor. On a GPU from compute capability 8.0 on, tensor cores compute
// it.
//
// rows: joint_packets x Inputs, in the group's room, and seen by all its lanes; rows beyond packets() may hold
// anything. weights: Outputs x Inputs, the inputs of one output side by side, aligned to 4 bytes. sums: joint_packets x
// Outputs, in the room; rows beyond packets() may become anything. Every lane sees the sums after the return. No sum of
// Inputs products overflows as long as Inputs is below 2^17.
template <unsigned Inputs, unsigned Outputs>
HOST_DEVICE void multiply_8bit(auto const& group, std::int8_t const* rows, std::int8_t const* weights,
                               std::int32_t* sums) {
  static_assert(Inputs % 32 == 0 && Outputs % 8 == 0 && Inputs < 1U << 17, "pad with zeroes");
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#pragma unroll
  for (unsigned row = 0; row < joint_packets; row += 16) {
#pragma unroll
    for (unsigned column = 0; column < Outputs; column += 8) {
      matrix_parts::multiply_tile<Inputs, Outputs>(rows + row * Inputs, weights + column * Inputs,
                                                   sums + row * Outputs + column);
    }
  }
#else
  for (auto n = group.lane(); n < group.packets() * Outputs; n += group.lanes()) {
    sums[n] = matrix_parts::dot_product<Inputs>(rows + n / Outputs * Inputs, weights + n % Outputs * Inputs);
  }
#endif
  group.sync();
}

}  // namespace packetwarp
