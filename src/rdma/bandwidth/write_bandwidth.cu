// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/bandwidth/write_bandwidth.h"
#include "rdma/clocks.cuh"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t most_threads = 512;

// The reference's kernel: a queue per block, a write per thread. Half of the registers are left to the engine's kernel.
__global__ __launch_bounds__(most_threads, 2) void write_bandwidth(posted_queue const* queues, post_loop loop,
                                                                   block_times* all_times) {
  auto const own = queues[blockIdx.x];
  queue_pair_ref const queue{own.parts};
  whole_block const block;
  block_times times{.began_ns = detail::now_ns(), .shortest = ~std::uint64_t{0}};
  std::uint64_t before = 0;  // writes of earlier iterations
  auto const request = [&](std::uint32_t i) {
    auto const at = loop.offset_of(before + i);
    return write_request{own.local + at, own.remote + at, loop.bytes};
  };
  auto const first = clocks_now();
  for (std::uint32_t n = 0; n < loop.iterations; ++n) {
    auto const began = clocks_now();
    auto const slots = queue.reserve(block, loop.posts, queue_use::one_group, loop.limit);
    queue.post_writes(block, slots, request);
    block.sync();
    auto const posted = clocks_now();
    queue.commit(block, slots, loop.commit);
    auto const committed = clocks_now();
    auto const status = slots.count == 0 ? queue.status() : queue.flush(block, slots, loop.limit, loop.flush);
    auto const ended = clocks_now();
    times.post += posted - began;
    times.commit += committed - posted;
    times.flush += ended - committed;
    times.status = static_cast<std::uint32_t>(status);
    if (status != work_status::done || slots.count == 0) break;
    if (ended - began < times.shortest) times.shortest = ended - began;
    if (loop.cycle != 0) before += slots.count;
    ++times.iterations;
  }
  times.all = clocks_now() - first;
  times.ended_ns = detail::now_ns();
  if (threadIdx.x == 0) all_times[blockIdx.x] = times;
}

}  // namespace

cudaError_t launch_write_bandwidth(posted_queue const* queues, std::uint32_t count, post_loop const& loop,
                                   block_times* times, cudaStream_t stream) {
  auto const threads = loop.posts < most_threads ? loop.posts : most_threads;
  write_bandwidth<<<count, threads, 0, stream>>>(queues, loop, times);
  return cudaGetLastError();
}

}  // namespace packetwarp::rdma
