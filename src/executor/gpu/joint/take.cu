// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/device/stint.cuh"
#include "executor/gpu/joint/take.h"

namespace packetwarp {
namespace device {

__device__ void place(offload_ring_ref const& ring, batch_state& state, std::uint64_t begin, std::uint64_t end) {
  state.begin = begin;
  state.end = end;
  state.groups = static_cast<std::uint32_t>(end - begin) * ring.units * (packets_per_unit / warp_size);
}

__global__ void place_batch(offload_ring_ref ring, batch_ref batch, std::uint64_t first, std::uint32_t count) {
  place(ring, *batch.state, first, first + count);
}

// A round without bursts leaves its batch empty, and the rounds after it still look for some: bursts that come while a
// stint ends wait for the kernels of a round at most.
__global__ void take_batch(offload_ring_ref ring, batch_ref batch, std::uint32_t round) {
  auto& state = *batch.state;
  if (round == 0) {
    ++state.stints;
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{*batch.begun}.store(state.stints,
                                                                                   cuda::memory_order_relaxed);
  }
  constexpr unsigned looks = 8;
  auto const begin = state.end;
  place(ring, state, begin, look_for_bursts(ring, begin, begin + ring.mask + 1, looks, [] { return false; }));
}

}  // namespace device

cudaError_t launch_place_batch(cudaStream_t stream, offload_ring_ref const& ring, batch_ref const& batch,
                               std::uint64_t first, std::uint32_t count) {
  device::place_batch<<<1, 1, 0, stream>>>(ring, batch, first, count);
  return cudaGetLastError();
}

cudaError_t launch_take_batch(cudaStream_t stream, offload_ring_ref const& ring, batch_ref const& batch,
                              std::uint32_t round) {
  device::take_batch<<<1, 1, 0, stream>>>(ring, batch, round);
  return cudaGetLastError();
}

}  // namespace packetwarp
