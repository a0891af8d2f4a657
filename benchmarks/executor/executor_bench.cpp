// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "burst/burst_ring.h"
#include "executor/cpu.h"
#include "executor/none.h"
#include "function/forward/forward.h"

namespace packetwarp {
namespace {

constexpr std::uint32_t burst_size = 32;
constexpr egress_index only_egress{0};

// The axis of all benchmarks: bursts in rotation. A single burst stays in the first-level cache; 256 are 18 MiB of
// mbufs, of which a packet uses two lines of the header and one of the frame.

// Frames of 60 bytes in mbufs that lie as a pool lays them out; no EAL is needed to read and write them.
class frames {
 public:
  explicit frames(std::size_t count) : buffers_(count) {
    for (auto& one : buffers_) {
      std::memset(&one.mbuf, 0, sizeof one.mbuf);
      one.mbuf.buf_addr = one.room.data();
      one.mbuf.data_off = RTE_PKTMBUF_HEADROOM;
      one.mbuf.data_len = 60;
      one.mbuf.pkt_len = 60;
      one.mbuf.nb_segs = 1;
      packets_.push_back(&one.mbuf);
    }
  }
  // The bursts, one after the other, round and round.
  [[nodiscard]] std::span<rte_mbuf*> next_burst() {
    auto const burst = std::span{packets_}.subspan(next_, burst_size);
    next_ = (next_ + burst_size) % packets_.size();
    return burst;
  }

 private:
  struct alignas(64) buffer {
    rte_mbuf mbuf;
    std::array<std::byte, RTE_MBUF_DEFAULT_BUF_SIZE> room{};
  };
  std::vector<buffer> buffers_;
  std::vector<rte_mbuf*> packets_;
  std::size_t next_{0};
};

void set_counts(benchmark::State& state) { state.SetItemsProcessed(state.iterations() * burst_size); }

// The yardstick: writing both addresses of each frame, with nothing else around it.
void memcpy_of_12_bytes(benchmark::State& state) {
  frames all{static_cast<std::size_t>(state.range(0)) * burst_size};
  std::array<std::byte, 12> const addresses{};
  for (auto _ : state) {
    for (auto* packet : all.next_burst()) std::memcpy(view_of(*packet).data, addresses.data(), addresses.size());
    benchmark::ClobberMemory();
  }
  set_counts(state);
}
BENCHMARK(memcpy_of_12_bytes)->ArgName("bursts")->Arg(1)->Arg(256);

// A burst through the ring and an executor, all on one thread.
template <class Executor, class... Arguments>
void run_executor(benchmark::State& state, Arguments... arguments) {
  frames all{static_cast<std::size_t>(state.range(0)) * burst_size};
  burst_ring ring{64, burst_size};
  Executor executor{ring, arguments...};
  for (auto _ : state) {
    burst* const filled = ring.open();
    auto const packets = all.next_burst();
    std::copy(packets.begin(), packets.end(), filled->packets);
    filled->size = burst_size;
    ring.publish();
    benchmark::DoNotOptimize(executor.poll());
    benchmark::DoNotOptimize(ring.next_done());
    ring.release();
  }
  set_counts(state);
}

void none(benchmark::State& state) { run_executor<none_executor>(state, only_egress); }
BENCHMARK(none)->ArgName("bursts")->Arg(1)->Arg(256);

void cpu_forward(benchmark::State& state) {
  run_executor<cpu_executor<forward>>(state, forward::ref{only_egress}, std::chrono::nanoseconds{0});
}
BENCHMARK(cpu_forward)->ArgName("bursts")->Arg(1)->Arg(256);

}  // namespace
}  // namespace packetwarp
