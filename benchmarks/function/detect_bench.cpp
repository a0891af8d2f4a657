// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The stage `detect` on a CPU, step by step: the rows of packets, the evaluation of networks, and all of it in front of
// a function that only swaps addresses, by one thread and by threads that share the state. The flows are those of
// python/bench_network.py: UDP between two hosts.
#include <benchmark/benchmark.h>
#include <rte_mbuf.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "executor/cpu.h"
#include "feature/feature_state.h"
#include "fixtures/packet_builder.h"
#include "function/chain.h"
#include "function/detect/detect.h"
#include "function/forward/forward.h"
#include "model/evaluate.h"
#include "model/random_networks.h"

namespace packetwarp {
namespace {

using judged = chain<detect, forward>;
constexpr std::uint32_t burst_size = 64;
constexpr std::uint64_t packets_per_epoch = 3'000;  // 3 Mpps
constexpr hash_key key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};

// Zeroes in huge pages, where the kernel has some, as tables and packet pools have them.
class huge_memory {
 public:
  explicit huge_memory(std::size_t bytes)
      : memory_{static_cast<std::byte*>(std::aligned_alloc(page, (bytes + page - 1) / page * page))} {
    if (memory_ == nullptr) throw std::bad_alloc{};
    (void)::madvise(memory_.get(), (bytes + page - 1) / page * page, MADV_HUGEPAGE);
    std::memset(memory_.get(), 0, bytes);
  }
  [[nodiscard]] std::byte* get() const { return memory_.get(); }

 private:
  static constexpr std::size_t page = std::size_t{2} << 20;
  struct deleter {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte[], deleter> memory_;
};

class huge_tables {
 public:
  explicit huge_tables(std::size_t flows)
      : layout_{{.flows = static_cast<std::uint32_t>(std::max<std::size_t>(2 * flows, 65'536)), .hosts = 65'536}},
        memory_{layout_.bytes()} {}
  // For a thread.
  [[nodiscard]] feature::state_ref ref(std::uint64_t& spread, feature::kept_adds& kept) const {
    auto made = layout_.ref(memory_.get(), key, &spread);
    made.kept = &kept;
    return made;
  }

 private:
  feature::state_layout layout_;
  huge_memory memory_;
};

// A frame of 60 bytes for each flow, in an mbuf of its own; no EAL is needed to read and write them.
class frames {
 public:
  explicit frames(std::size_t flows, std::size_t first = 0)
      : count_{std::max<std::size_t>(flows, burst_size) / burst_size * burst_size}, memory_{count_ * sizeof(buffer)} {
    auto const frame = test::packet_builder{}.eth().ipv4("1.1.1.2", "2.2.2.2").udp(1024, 53).payload(18).build();
    for (std::size_t i = 0; i < count_; ++i) {
      auto& one = reinterpret_cast<buffer*>(memory_.get())[i];
      std::copy(frame.begin(), frame.end(), one.frame.begin());
      auto const flow = first + i % flows;
      one.frame[source_at + 3] = static_cast<std::byte>(flow >> 16);
      one.frame[port_at] = static_cast<std::byte>(flow >> 8);
      one.frame[port_at + 1] = static_cast<std::byte>(flow);
      one.mbuf.buf_addr = one.frame.data();
      one.mbuf.data_len = 60;
      one.mbuf.pkt_len = 60;
      one.mbuf.nb_segs = 1;
      packets_.push_back(&one.mbuf);
    }
  }
  // The bursts, one after the other, round and round.
  [[nodiscard]] rte_mbuf** next_burst() {
    auto* const burst = packets_.data() + next_;
    next_ = (next_ + burst_size) % packets_.size();
    return burst;
  }

 private:
  static constexpr std::size_t source_at = 26;
  static constexpr std::size_t port_at = 34;
  struct alignas(64) buffer {
    rte_mbuf mbuf;
    alignas(64) std::array<std::byte, 64> frame;
  };
  std::size_t count_;
  huge_memory memory_;
  std::vector<rte_mbuf*> packets_;
  std::size_t next_{0};
};

[[nodiscard]] model::integer_network dense(std::vector<std::uint32_t> const& widths) {
  return model::test::random_networks{1}.make_dense(widths, model::test::layer_kind::usual);
}
[[nodiscard]] model::integer_network network_number(std::int64_t number) {
  if (number == 1) return dense({50, 128, 64, 2});
  if (number == 2) return model::test::random_networks{1}.make_trees(100, 6, 1, model::test::tree_shape::full);
  return dense({36, 64, 32, 1});
}

void set_counts(benchmark::State& state) { state.SetItemsProcessed(state.iterations() * burst_size); }

void rows(benchmark::State& state) {
  auto const flows = static_cast<std::size_t>(state.range(0));
  frames all{flows};
  huge_tables const tables{flows};
  std::uint64_t spread = 0;
  feature::kept_adds kept;
  auto const ref = tables.ref(spread, kept);
  std::uint64_t packets = 0;
  alignas(64) std::array<std::int8_t, model::row_bytes> row;
  for (auto _ : state) {
    auto* const* const burst = all.next_burst();
    auto const epoch = 1 + packets / packets_per_epoch;
    packets += burst_size;
    for (std::uint32_t i = 0; i < burst_size; ++i) {
      feature::observe(feature::facts_of(view_of(*burst[i])), epoch, ref, row.data());
      benchmark::DoNotOptimize(row);
    }
    kept.add_all();
  }
  set_counts(state);
}
BENCHMARK(rows)->ArgName("flows")->Arg(100)->Arg(10'000)->Arg(1'000'000);

void scores(benchmark::State& state) {
  auto const network = network_number(state.range(0));
  auto rows = model::test::random_networks{1}.any_bytes(std::size_t{burst_size} * model::row_bytes);
  for (auto& value : rows) value = static_cast<std::int8_t>(value & 0x7f);  // a feature is 0 at least
  std::array<std::int32_t, burst_size * 8> scores;
  for (auto _ : state) {
    for (std::size_t n = 0; n < burst_size; n += joint_packets) {
      model::evaluate(network.ref(), rows.data() + n * model::row_bytes, joint_packets, scores.data());
    }
    benchmark::DoNotOptimize(scores);
  }
  set_counts(state);
}
BENCHMARK(scores)->ArgName("network")->Arg(0)->Arg(1)->Arg(2);

// A thread's executor, whose state others may use, too.
void judge(benchmark::State& state, model::integer_network const& network, frames& all, huge_tables const& tables) {
  std::uint64_t spread = 0;
  feature::kept_adds kept;
  detect_root root{};
  root.sets[0].models[0] = {.network = network.ref(), .threshold = 0};
  root.sets[0].count = 1;
  std::array<detect_count, detect_counters> counts{};
  auto const seen = tables.ref(spread, kept);
  judged::ref const ref{{{&root, counts.data(), seen, {}}}, {{egress_index{0}}}};  // no journal: no events
  burst_ring ring{64, burst_size};
  cpu_executor<judged> work{ring, ref, std::chrono::nanoseconds{0}};
  std::uint64_t packets = 0;
  for (auto _ : state) {
    auto* const filled = ring.open();
    auto* const* const burst = all.next_burst();
    std::copy(burst, burst + burst_size, filled->packets);
    filled->size = burst_size;
    ring.publish(1 + packets / packets_per_epoch);
    packets += burst_size;
    benchmark::DoNotOptimize(work.poll());
    benchmark::DoNotOptimize(ring.next_done());
    ring.release();
  }
  set_counts(state);
}

void executor(benchmark::State& state) {
  auto const network = network_number(state.range(0));
  auto const flows = static_cast<std::size_t>(state.range(1));
  frames all{flows};
  huge_tables const tables{flows};
  judge(state, network, all, tables);
}
BENCHMARK(executor)
    ->ArgNames({"network", "flows"})
    ->Args({0, 100})
    ->Args({0, 10'000})
    ->Args({0, 1'000'000})
    ->Args({1, 10'000})
    ->Args({2, 10'000});

// Flows of each thread's own, between the same two hosts.
void executors_beside(benchmark::State& state) {
  constexpr std::size_t flows = 10'000, most_threads = 6;
  static huge_tables const tables{most_threads * flows};
  auto const network = network_number(0);
  frames all{flows, static_cast<std::size_t>(state.thread_index()) * flows};
  judge(state, network, all, tables);
}
BENCHMARK(executors_beside)->ThreadRange(1, 4)->UseRealTime();

}  // namespace
}  // namespace packetwarp
