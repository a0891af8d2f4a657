// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"

namespace packetwarp::network_parts {

// A matrix unit as dense_tile.h calls it: all lanes of a warp together add to 16 rows x 8 outputs the products of 16
// rows x 32 inputs and 32 inputs x 8 outputs, in 32 bits. The PTX ISA says which lane has which element (mma.m16n8k32
// of 8-bit integers). With g = lane / 4 and w = lane % 4:
//
//   sums      of row g the outputs 2w and 2w + 1, and the same of row g + 8
//   low       inputs 4w to 4w + 3 of the rows g and g + 8
//   high      inputs 16 + 4w to 16 + 4w + 3 of the same rows
//   weights   of output g those of the inputs in low, and those of the inputs in high

// The tensor cores of compute capability 8.0 and above.
struct ampere_matrix_unit {
  HOST_DEVICE_COPIED static void multiply_add([[maybe_unused]] std::int32_t (&sums)[4],
                                              [[maybe_unused]] std::uint32_t const (&low)[2],
                                              [[maybe_unused]] std::uint32_t const (&high)[2],
                                              [[maybe_unused]] std::uint32_t low_weights,
                                              [[maybe_unused]] std::uint32_t high_weights) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
                 : "r"(low[0]), "r"(low[1]), "r"(high[0]), "r"(high[1]), "r"(low_weights), "r"(high_weights));
#endif
  }
};

// The tensor cores of compute capability 7.5 take 8 rows x 16 inputs: a lane has a quarter of the same elements.
struct turing_matrix_unit {
  HOST_DEVICE_COPIED static void multiply_add(std::int32_t (&sums)[4], std::uint32_t const (&low)[2],
                                              std::uint32_t const (&high)[2], std::uint32_t low_weights,
                                              std::uint32_t high_weights) {
    add_quarter(sums[0], sums[1], low[0], low_weights);
    add_quarter(sums[2], sums[3], low[1], low_weights);
    add_quarter(sums[0], sums[1], high[0], high_weights);
    add_quarter(sums[2], sums[3], high[1], high_weights);
  }

 private:
  HOST_DEVICE_COPIED static void add_quarter([[maybe_unused]] std::int32_t& first,
                                             [[maybe_unused]] std::int32_t& second,
                                             [[maybe_unused]] std::uint32_t inputs,
                                             [[maybe_unused]] std::uint32_t weights) {
#if defined(__CUDA_ARCH__)
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+r"(first), "+r"(second)
                 : "r"(inputs), "r"(weights));
#endif
  }
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
using matrix_unit = turing_matrix_unit;
#else
using matrix_unit = ampere_matrix_unit;
#endif

}  // namespace packetwarp::network_parts
