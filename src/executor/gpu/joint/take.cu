// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/device/stint.cuh"
#include "executor/gpu/joint/take.h"

namespace packetwarp {
namespace device {

__device__ void place(offload_ring_ref const& ring, batch_state& state, std::uint64_t begin, std::uint64_t end) {
  state.begin = begin;
  state.end = end;
  state.groups = static_cast<std::uint32_t>(end - begin) * ring.units * packets_per_lane;
}

__global__ void place_batch(offload_ring_ref ring, batch_ref batch, std::uint64_t first, std::uint32_t count) {
  place(ring, *batch.state, first, first + count);
}

// A stint ends after a while without bursts, or when it has had its number of bursts.
__global__ void take_batch(offload_ring_ref ring, batch_ref batch, cudaGraphConditionalHandle another,
                           cudaGraphConditionalHandle has_bursts) {
  auto& state = *batch.state;
  if (state.has_begun == 0) {
    state.has_begun = 1;
    state.limit = state.end + batch.bursts;
    ++state.stints;
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{*batch.begun}.store(state.stints,
                                                                                   cuda::memory_order_relaxed);
  }
  auto const begin = state.end;
  auto const end = look_for_bursts(ring, begin, state.limit);
  place(ring, state, begin, end);
  if (end == begin) state.has_begun = 0;
  cudaGraphSetConditional(another, end != begin ? 1 : 0);
  cudaGraphSetConditional(has_bursts, end != begin ? 1 : 0);
}

}  // namespace device

cudaError_t launch_place_batch(cudaStream_t stream, offload_ring_ref const& ring, batch_ref const& batch,
                               std::uint64_t first, std::uint32_t count) {
  device::place_batch<<<1, 1, 0, stream>>>(ring, batch, first, count);
  return cudaGetLastError();
}

void const* take_batch_kernel() { return reinterpret_cast<void const*>(&device::take_batch); }

}  // namespace packetwarp
