// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/bandwidth/write_bandwidth.h"
#include "rdma/clocks.cuh"
#include "rdma/direct_put.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t store_threads = 512;

// Threads side by side that make one write together: 1, 2, 4, ... 512.
struct part_of_block {
  std::uint32_t threads;
  [[nodiscard]] __device__ std::uint32_t thread_rank() const { return threadIdx.x % threads; }
  [[nodiscard]] __device__ std::uint32_t size() const { return threads; }
};

// As few threads as move a write with a unit each, and at most the block.
[[nodiscard]] __device__ part_of_block threads_for(std::uint32_t bytes, std::uint32_t unit) {
  std::uint32_t threads = 1;
  while (threads < store_threads && threads * unit < bytes) threads *= 2;
  return {threads};
}

// The writes of one queue.
class stores {
 public:
  __device__ stores(posted_queue const& own, post_loop const& loop)
      : to_{reinterpret_cast<std::byte*>(own.remote.address)},
        from_{reinterpret_cast<std::byte const*>(own.local.address)},
        loop_{loop} {}

  // The writes of an iteration. Called by all threads of the block.
  __device__ void make(std::uint64_t before) const {
    auto const all = reinterpret_cast<std::uint64_t>(to_) | reinterpret_cast<std::uint64_t>(from_) | loop_.bytes;
    if (all % 16 == 0 && loop_.bytes <= 16 * store_threads) {
      make_small<detail::unit_of_16>(before);
    } else if (all % 8 == 0 && loop_.bytes <= 8 * store_threads) {
      make_small<std::uint64_t>(before);
    } else {
      make_large(before);
    }
  }

 private:
  // A unit per thread, and up to eight writes of a thread under way together.
  template <class Unit>
  __device__ void make_small(std::uint64_t before) const {
    auto const part = threads_for(loop_.bytes, sizeof(Unit));
    auto const within = part.thread_rank() * static_cast<std::uint32_t>(sizeof(Unit));
    if (within >= loop_.bytes) return;
    auto const step = store_threads / part.size();
    auto const offset = [&](std::uint32_t n) { return loop_.offset_of(before + n) + within; };
    std::uint32_t i = threadIdx.x / part.size();
    while (i + 7 * step < loop_.posts) move_together<Unit, 8>(offset, i, step);
    if (i + 3 * step < loop_.posts) move_together<Unit, 4>(offset, i, step);
    if (i + step < loop_.posts) move_together<Unit, 2>(offset, i, step);
    if (i < loop_.posts) move_together<Unit, 1>(offset, i, step);
  }
  // Moves a unit of each of `Count` writes from write i on, with all loads before the first store.
  template <class Unit, std::uint32_t Count, class Offset>
  __device__ void move_together(Offset const& offset, std::uint32_t& i, std::uint32_t step) const {
    Unit held[Count];
    for (std::uint32_t k = 0; k < Count; ++k) held[k] = detail::load_unit<Unit>(from_ + offset(i + k * step));
    for (std::uint32_t k = 0; k < Count; ++k) detail::store_unit(to_ + offset(i + k * step), held[k]);
    i += Count * step;
  }

  // A write per warp, or per block if warps have no write each.
  __device__ void make_large(std::uint64_t before) const {
    constexpr std::uint32_t of_warp = 32;
    if (loop_.posts < store_threads / of_warp) {
      for (std::uint32_t i = 0; i < loop_.posts; ++i) make_one(whole_block{}, before + i);
    } else {
      for (auto i = threadIdx.x / of_warp; i < loop_.posts; i += store_threads / of_warp)
        make_one(whole_warp{}, before + i);
    }
  }
  template <class Group>
  __device__ void make_one(Group const& group, std::uint64_t n) const {
    auto const at = loop_.offset_of(n);
    put(group, to_ + at, from_ + at, loop_.bytes);
  }

  std::byte* to_;
  std::byte const* from_;
  post_loop loop_;
};

__global__ __launch_bounds__(store_threads) void store_bandwidth(posted_queue const* queues, post_loop loop,
                                                                 block_times* all_times) {
  stores const writes{queues[blockIdx.x], loop};
  whole_block const block;
  block_times times{.began_ns = detail::now_ns(), .shortest = ~std::uint64_t{0}};
  std::uint64_t before = 0;  // writes of earlier iterations
  auto const first = clocks_now();
  for (std::uint32_t n = 0; n < loop.iterations; ++n) {
    auto const began = clocks_now();
    writes.make(before);
    block.sync();
    auto const stored = clocks_now();
    finish_puts(block, loop.commit);
    auto const ended = clocks_now();
    times.post += stored - began;
    times.flush += ended - stored;
    if (ended - began < times.shortest) times.shortest = ended - began;
    if (loop.cycle != 0) before += loop.posts;
    ++times.iterations;
  }
  times.all = clocks_now() - first;
  times.ended_ns = detail::now_ns();
  if (threadIdx.x == 0) all_times[blockIdx.x] = times;
}

}  // namespace

cudaError_t launch_store_bandwidth(posted_queue const* queues, std::uint32_t count, post_loop const& loop,
                                   block_times* times, cudaStream_t stream) {
  store_bandwidth<<<count, store_threads, 0, stream>>>(queues, loop, times);
  return cudaGetLastError();
}

}  // namespace packetwarp::rdma
