// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/clocks.cuh"
#include "rdma/latency/write_latency.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t word_bytes = sizeof(std::uint64_t), word_bits = 8 * word_bytes;

// The writes of the peer: the last byte of each is its number.
class awaited_writes {
 public:
  __device__ explicit awaited_writes(ping_loop const& loop)
      : word_{*reinterpret_cast<std::uint64_t const*>(loop.told / word_bytes * word_bytes)},
        shift_{static_cast<std::uint32_t>(8 * (loop.told % word_bytes))},
        is_a_word_{loop.bytes == word_bytes && loop.told % word_bytes + 1 == word_bytes},
        limit_{loop.limit} {}

  // Waits for write n; false if that takes too long. A single load is under way at a time: loads of one line of host
  // memory wait for each other, and four took twice as long.
  __device__ bool await(std::uint32_t n) const {
    constexpr std::uint32_t polls_between_looks = 256;
    std::uint64_t began = 0;
    for (std::uint32_t polls = 1; (detail::load(word_) >> shift_ & 0xff) != (n & 0xff); ++polls) {
      if (polls % polls_between_looks != 0) continue;
      auto const now = detail::now_ns();
      if (began == 0) began = now;
      if (now - began > limit_.nanoseconds) return false;
    }
    // Eight aligned bytes come by one store, and were read by one load.
    if (!is_a_word_) detail::load_fence(acquire_from_system);
    return true;
  }

 private:
  std::uint64_t const& word_;
  std::uint32_t shift_;
  bool is_a_word_;
  patience limit_;
};

class pinger {
 public:
  __device__ explicit pinger(ping_loop const& loop) : loop_{loop}, queue_{loop.queue.parts} {
    if (loop.bytes == word_bytes) word_ = *reinterpret_cast<std::uint64_t const*>(loop.queue.local.address);
  }

  // Awaits the completion of the last write, and takes the room of the next one.
  __device__ work_status make_room() {
    if (auto const status = end(); status != work_status::done) return status;
    last_ = queue_.reserve(single_thread{}, 1, queue_use::one_group, loop_.limit);
    return last_.count == 0 ? queue_.status() : work_status::done;
  }
  // Posts write n. Eight bytes go within the WQE, as perftest's short writes do.
  __device__ void write(std::uint32_t n) {
    if (loop_.bytes == word_bytes) {
      constexpr std::uint32_t last = word_bits - 8;
      queue_.post_signal(last_, 0, loop_.queue.remote, word_ << 8 >> 8 | std::uint64_t{n} << last);
    } else {
      *reinterpret_cast<std::uint8_t*>(loop_.queue.local.address + loop_.bytes - 1) = static_cast<std::uint8_t>(n);
      queue_.post_write(last_, 0, loop_.queue.local, loop_.queue.remote, loop_.bytes);
    }
    queue_.commit(single_thread{}, last_);
    is_posted_ = true;
  }
  __device__ work_status end() {
    if (!is_posted_) return work_status::done;
    is_posted_ = false;
    return queue_.flush(single_thread{}, last_, loop_.limit);
  }

 private:
  ping_loop loop_;
  queue_pair_ref queue_;
  reservation last_{};
  bool is_posted_{};
  std::uint64_t word_{};  // a message of eight bytes
};

__device__ work_status ping(ping_loop const& loop, std::uint64_t* clocks, std::uint32_t& times) {
  pinger own{loop};
  awaited_writes const others{loop};
  std::uint64_t posted = 0;
  for (std::uint32_t n = 1; n <= loop.iterations; ++n) {
    // The completion of the last write comes while the peer answers, as in ib_write_lat.
    if (auto const status = own.make_room(); status != work_status::done) return status;
    auto const awaited = loop.side == ping_side::answers ? n : n - 1;
    if (awaited != 0 && !others.await(awaited)) return work_status::waited_too_long;
    auto const now = clocks_now();
    if (n > 1) clocks[times++] = now - posted;
    posted = now;
    own.write(n);
  }
  if (loop.side == ping_side::writes_first && !others.await(loop.iterations)) return work_status::waited_too_long;
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
