// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "burst/burst_ring.h"

namespace packetwarp {
namespace {

// All three roles on one thread, as in a run-to-completion worker: the cost of a burst beside its packets.
void burst_ring_round_trip(benchmark::State& state) {
  burst_ring ring{64, 32};
  for (auto _ : state) {
    burst* const filled = ring.open();
    filled->size = 32;
    ring.publish();
    benchmark::DoNotOptimize(ring.next_ready());
    ring.take();
    ring.finish(burst_outcome::uniform(verdict::forward(egress_index{0})));
    benchmark::DoNotOptimize(ring.next_done());
    ring.release();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(burst_ring_round_trip);

}  // namespace
}  // namespace packetwarp
