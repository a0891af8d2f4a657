// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/clocks.cuh"
#include "rdma/latency/write_latency.h"

namespace packetwarp::rdma {
namespace {

// Waits until the byte at an address has this value; false if that takes too long.
__device__ bool await_byte(std::uint64_t address, std::uint32_t n, patience limit) {
  constexpr std::uint32_t polls_between_looks = 256;
  // Loads of a system's scope have four bytes.
  auto const& word = *reinterpret_cast<std::uint32_t const*>(address / 4 * 4);
  auto const began = detail::now_ns();
  for (std::uint32_t polls = 1; (detail::load(word) >> 8 * (address % 4) & 0xff) != (n & 0xff); ++polls) {
    if (polls % polls_between_looks == 0 && detail::now_ns() - began > limit.nanoseconds) return false;
  }
  detail::load_fence(acquire_from_system);
  return true;
}

class pinger {
 public:
  __device__ explicit pinger(ping_loop const& loop) : loop_{loop}, queue_{loop.queue.parts} {}

  // Posts write n, once the one before it is complete.
  __device__ work_status write(std::uint32_t n) {
    auto* const last_byte = reinterpret_cast<std::uint8_t*>(loop_.queue.local.address + loop_.bytes - 1);
    *last_byte = static_cast<std::uint8_t>(n);
    if (auto const status = end(); status != work_status::done) return status;
    last_ = queue_.reserve(single_thread{}, 1, queue_use::one_group, loop_.limit);
    if (last_.count == 0) return queue_.status();
    queue_.post_write(last_, 0, loop_.queue.local, loop_.queue.remote, loop_.bytes);
    queue_.commit(single_thread{}, last_);
    return work_status::done;
  }
  __device__ work_status end() {
    return last_.count == 0 ? work_status::done : queue_.flush(single_thread{}, last_, loop_.limit);
  }

 private:
  ping_loop loop_;
  queue_pair_ref queue_;
  reservation last_{};
};

__device__ work_status ping(ping_loop const& loop, std::uint64_t* clocks, std::uint32_t& times) {
  pinger own{loop};
  std::uint64_t posted = 0;
  for (std::uint32_t n = 1; n <= loop.iterations; ++n) {
    auto const awaited = loop.side == ping_side::answers ? n : n - 1;
    if (awaited != 0 && !await_byte(loop.told, awaited, loop.limit)) return work_status::waited_too_long;
    auto const now = clocks_now();
    if (n > 1) clocks[times++] = now - posted;
    posted = now;
    if (auto const status = own.write(n); status != work_status::done) return status;
  }
  if (loop.side == ping_side::writes_first && !await_byte(loop.told, loop.iterations, loop.limit))
    return work_status::waited_too_long;
  return own.end();
}

__global__ void write_latency(ping_loop loop, std::uint64_t* clocks, ping_outcome* outcome) {
  ping_outcome made{.began_ns = detail::now_ns()};
  auto const first = clocks_now();
  made.status = static_cast<std::uint32_t>(ping(loop, clocks, made.times));
  made.clocks = clocks_now() - first;
  made.ended_ns = detail::now_ns();
  *outcome = made;
}

}  // namespace

cudaError_t launch_write_latency(ping_loop const& loop, std::uint64_t* clocks, ping_outcome* outcome,
                                 cudaStream_t stream) {
  write_latency<<<1, 1, 0, stream>>>(loop, clocks, outcome);
  return cudaGetLastError();
}

}  // namespace packetwarp::rdma
