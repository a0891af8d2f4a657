// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "executor/gpu/joint/wide_network.h"
#include "function/network/wide_machine.h"
#include "function/network/wide_tile.h"

namespace packetwarp {
namespace device {

template <unsigned Rows>
__device__ void evaluate_tiles(wide_launch const& launch, model::network_ref network, std::uint32_t width,
                               std::uint32_t count, std::byte* shared) {
  using namespace network_parts;
  wide_machine const machine{threadIdx.x};
  wide_tile<wide_machine, Rows>{machine, network, width, shared}.evaluate(launch.rows, count, launch.scores, blockIdx.x,
                                                                          gridDim.x);
}

// Two blocks per multiprocessor: one multiplies while the other one rescales.
__global__ __launch_bounds__(wide_threads, 2) void evaluate_wide(wide_launch launch) {
  extern __shared__ uint4 memory[];
  auto* const shared = reinterpret_cast<std::byte*>(memory);
  auto const rows = launch.job->rows;
  auto const count = rows < launch.most ? rows : launch.most;
  if (count == 0) return;
  auto const network = network_parts::in_global_memory(launch.job->network);
  auto const width = wide_width_of(network);
  bool const has_few = count <= gridDim.x * least_wide_rows;
  if (!has_few && wide_bytes(width, most_wide_rows) <= launch.shared) {
    evaluate_tiles<most_wide_rows>(launch, network, width, count, shared);
  } else if (wide_bytes(width, least_wide_rows) <= launch.shared) {
    evaluate_tiles<least_wide_rows>(launch, network, width, count, shared);
  }
}

}  // namespace device

namespace {

constexpr std::size_t shared_of_every_block = 48 << 10;

}  // namespace

wide_shape wide_shape_for(std::uint32_t width, std::size_t shared_bytes, unsigned multiprocessors) {
  auto const larger = wide_bytes(width, most_wide_rows);
  auto const bytes = larger <= shared_bytes ? larger : wide_bytes(width, least_wide_rows);
  if (bytes > shared_bytes) return {};
  // Two blocks, if two fit; CUDA keeps 1 KiB per block for itself.
  constexpr std::size_t kept = 1024;
  auto const per_multiprocessor = 2 * (bytes + kept) <= shared_bytes + kept ? 2U : 1U;
  std::uint32_t most = width;
  while (most < model::most_width && wide_bytes(most + model::input_multiple, least_wide_rows) <= bytes) {
    most += model::input_multiple;
  }
  return {.shared = static_cast<std::uint32_t>(bytes),
          .blocks = per_multiprocessor * std::max(multiprocessors, 1U),
          .most_width = most};
}

wide_shape wide_shape_for_all(std::uint32_t width, std::size_t shared_bytes, unsigned multiprocessors) {
  auto made = wide_shape_for(width, shared_bytes, multiprocessors);
  if (made.blocks == 0) return made;
  auto const widest = std::min(wide_bytes(model::most_width, least_wide_rows), shared_bytes);
  made.shared = std::max(made.shared, static_cast<std::uint32_t>(widest));
  made.most_width = widest_by_blocks(shared_bytes);
  return made;
}

cudaError_t prepare_wide(wide_shape const& shape) {
  if (shape.shared <= shared_of_every_block) return cudaSuccess;
  return cudaFuncSetAttribute(device::evaluate_wide, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(shape.shared));
}

cudaError_t launch_wide(cudaStream_t stream, wide_launch const& launch) {
  if (auto const allowed = prepare_wide({.shared = launch.shared, .blocks = 0, .most_width = 0});
      allowed != cudaSuccess) {
    return allowed;
  }
  device::evaluate_wide<<<launch.blocks, wide_threads, launch.shared, stream>>>(launch);
  return cudaPeekAtLastError();
}

}  // namespace packetwarp
