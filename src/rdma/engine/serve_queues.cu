// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/engine/block_engine.cuh"
#include "rdma/engine/serve_queues.h"

namespace packetwarp::rdma {
namespace {

using device::engine_threads;

__device__ void add_to(std::uint64_t& sum, std::uint64_t value) {
  if (value != 0)
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device>{sum}.fetch_add(value, cuda::memory_order_relaxed);
}

__device__ void add_all(engine_counters& into, engine_counters const& own) {
  add_to(into.doorbells, own.doorbells);
  add_to(into.writes, own.writes);
  add_to(into.bytes, own.bytes);
  add_to(into.completions, own.completions);
  add_to(into.length_errors, own.length_errors);
  add_to(into.operation_errors, own.operation_errors);
  add_to(into.protection_errors, own.protection_errors);
  add_to(into.access_errors, own.access_errors);
  add_to(into.flushed, own.flushed);
  add_to(into.queue_overruns, own.queue_overruns);
  add_to(into.completion_overruns, own.completion_overruns);
}

__global__ __launch_bounds__(engine_threads) void serve_queues(queue_parts const* queues, region const* regions,
                                                               std::uint32_t region_count, cuda::thread_scope acquired,
                                                               cuda::thread_scope released, std::uint32_t const* stop,
                                                               engine_counters* sum) {
  __shared__ device::engine_room room;
  device::block_engine engine{
      queues[blockIdx.x], region_table_ref{regions, region_count}, acquired, released, stop, room};
  engine.run();
  add_all(*sum, engine.counters());
}

}  // namespace

cudaError_t count_serving_blocks(std::size_t& most) {
  int device = 0, blocks = 0, processors = 0;
  auto said = cudaGetDevice(&device);
  if (said == cudaSuccess)
    said = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, serve_queues, engine_threads, 0);
  if (said == cudaSuccess) said = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  most = static_cast<std::size_t>(blocks) * static_cast<std::size_t>(processors);
  return said;
}

cudaError_t launch_serve_queues(served_by_kernel const& work, cudaStream_t stream) {
  serve_queues<<<work.queue_count, engine_threads, 0, stream>>>(work.queues, work.regions, work.region_count,
                                                                work.acquired, work.released, work.stop, work.sum);
  return cudaGetLastError();
}

}  // namespace packetwarp::rdma
