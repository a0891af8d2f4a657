// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/piece_copy.h"

namespace packetwarp {
namespace {

constexpr unsigned warp_size = 32;
constexpr unsigned warps_per_block = 8;

// Each warp copies one piece.
__global__ void copy_pieces(copied_piece const* pieces, std::uint32_t count, copy_course course) {
  auto const n = (blockIdx.x * blockDim.x + threadIdx.x) / warp_size;
  if (n >= count) return;
  auto const one = pieces[n];
  auto* const to = course == copy_course::to_gpu ? one.in_gpu : one.in_host;
  auto const* const from = course == copy_course::to_gpu ? one.in_host : one.in_gpu;
  for (auto i = threadIdx.x % warp_size; i < one.bytes; i += warp_size) to[i] = from[i];
}

}  // namespace

cudaError_t launch_copy(copied_piece const* pieces, std::uint32_t count, copy_course course, cudaStream_t stream) {
  auto const blocks = (count + warps_per_block - 1) / warps_per_block;
  copy_pieces<<<blocks, warps_per_block * warp_size, 0, stream>>>(pieces, count, course);
  return cudaGetLastError();
}

}  // namespace packetwarp
