// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/clocks.cuh"
#include "rdma/direct_put.h"
#include "rdma/latency/signal_latency.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t threads_of_block = 512;

// Writes through a queue: a write and a signal, which an engine executes. By one thread.
class queue_end {
 public:
  using group = single_thread;
  __device__ explicit queue_end(signal_loop const& loop) : loop_{loop}, queue_{loop.queue.parts} {}

  // Posts write n, once the one before it is complete.
  __device__ work_status write(std::uint32_t n) {
    if (auto const status = end(); status != work_status::done) return status;
    last_ = queue_.reserve(single_thread{}, 2, queue_use::one_group, loop_.limit);
    if (last_.count == 0) return queue_.status();
    queue_.post_write(last_, 0, loop_.queue.local, loop_.queue.remote, loop_.bytes);
    queue_.post_signal(last_, 1, loop_.told_at, n);
    queue_.commit(single_thread{}, last_, release_to_device);
    return work_status::done;
  }
  __device__ work_status end() {
    if (last_.count == 0) return work_status::done;
    return queue_.flush(single_thread{}, last_, loop_.limit, acquire_from_device);
  }

 private:
  signal_loop loop_;
  queue_pair_ref queue_;
  reservation last_{};
};

// Writes by stores of a group.
template <class Group>
class store_end {
 public:
  using group = Group;
  __device__ explicit store_end(signal_loop const& loop)
      : to_{reinterpret_cast<void*>(loop.queue.remote.address)},
        from_{reinterpret_cast<void const*>(loop.queue.local.address)},
        told_at_{reinterpret_cast<std::uint64_t*>(loop.told_at.address)},
        bytes_{loop.bytes} {}

  __device__ work_status write(std::uint32_t n) {
    put_with_signal(Group{}, to_, from_, bytes_, told_at_, n);
    return work_status::done;
  }
  __device__ static work_status end() { return work_status::done; }

 private:
  void* to_;
  void const* from_;
  std::uint64_t* told_at_;
  std::uint32_t bytes_;
};

// Whether write n of the peer has come. Called by all threads of the group.
template <class Group>
__device__ bool await_peer(Group const& group, signal_loop const& loop, std::uint32_t n) {
  std::uint64_t has_come = 0;
  if (group.thread_rank() == 0 && await_signal(*loop.told, n, loop.limit)) has_come = 1;
  return group.broadcast(has_come) != 0;
}

template <class End>
__device__ work_status ping(End& end, signal_loop const& loop, std::uint64_t* clocks, std::uint32_t& times) {
  typename End::group const group;
  std::uint64_t began = 0;
  for (std::uint32_t n = 1; n <= loop.iterations; ++n) {
    auto const awaited = loop.side == ping_side::answers ? n : n - 1;
    if (awaited != 0 && !await_peer(group, loop, awaited)) return work_status::waited_too_long;
    auto const now = clocks_now();
    if (n > 1 && group.thread_rank() == 0) clocks[times++] = now - began;
    began = now;
    if (auto const status = end.write(n); status != work_status::done) return status;
  }
  if (loop.side == ping_side::writes_first && !await_peer(group, loop, loop.iterations))
    return work_status::waited_too_long;
  return end.end();
}

template <class End>
__global__ __launch_bounds__(threads_of_block) void signal_latency(signal_loop loop, std::uint64_t* clocks,
                                                                   ping_outcome* outcome) {
  ping_outcome made{.began_ns = detail::now_ns()};
  auto const first = clocks_now();
  End end{loop};
  made.status = static_cast<std::uint32_t>(ping(end, loop, clocks, made.times));
  made.clocks = clocks_now() - first;
  made.ended_ns = detail::now_ns();
  if (threadIdx.x == 0) *outcome = made;
}

}  // namespace

cudaError_t launch_signal_latency(signal_loop const& loop, std::uint64_t* clocks, ping_outcome* outcome,
                                  cudaStream_t stream) {
  constexpr std::uint32_t of_thread = 16, of_warp = 2048;  // bytes
  if (loop.way == put_way::queue) {
    signal_latency<queue_end><<<1, 1, 0, stream>>>(loop, clocks, outcome);
  } else if (loop.bytes <= of_thread) {
    signal_latency<store_end<single_thread>><<<1, 1, 0, stream>>>(loop, clocks, outcome);
  } else if (loop.bytes <= of_warp) {
    signal_latency<store_end<whole_warp>><<<1, 32, 0, stream>>>(loop, clocks, outcome);
  } else {
    signal_latency<store_end<whole_block>><<<1, threads_of_block, 0, stream>>>(loop, clocks, outcome);
  }
  return cudaGetLastError();
}

}  // namespace packetwarp::rdma
