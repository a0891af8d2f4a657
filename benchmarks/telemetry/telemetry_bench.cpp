// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>

#include "telemetry/counter.h"
#include "telemetry/histogram.h"

namespace packetwarp::telemetry {
namespace {

void counter_add(benchmark::State& state) {
  counter packets;
  for (auto _ : state) {
    packets.add(32);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(counter_add);

// Values like latencies: around some microseconds of cycles, never the same twice in a row.
void histogram_record(benchmark::State& state) {
  std::array<std::uint64_t, 1024> values;
  std::uint64_t seed = 1;
  for (auto& value : values) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    value = 2'000 + (seed >> 50);
  }
  histogram latency;
  std::size_t i = 0;
  for (auto _ : state) {
    latency.record(values[i++ % values.size()], 32);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(histogram_record);

void histogram_take_snapshot(benchmark::State& state) {
  histogram latency;
  for (std::uint64_t value = 1; value < 1'000'000; value += 97) latency.record(value, 1);
  for (auto _ : state) {
    auto const now = latency.snapshot();
    benchmark::DoNotOptimize(now.percentile(99));
  }
}
BENCHMARK(histogram_take_snapshot);

}  // namespace
}  // namespace packetwarp::telemetry
