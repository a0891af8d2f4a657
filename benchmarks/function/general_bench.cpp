// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/rules/rules.h"
#include "function/switched.h"
#include "nat44_bed.h"

// nat44_bench's packets by the general chain, whose rules are off, and whose NAT44 is on or off. A program of its own:
// functions that share a compilation are inlined less.
namespace packetwarp {
namespace {

using namespace nat44_bed;

using general = chain<switched<rules>, switched<nat44>, router>;
[[nodiscard]] general::ref tables_of(network const& bed, interface_index ingress, std::uint32_t translates) {
  auto const tables = bed.tables(ingress);
  return {{}, {{tables.of<nat44>(), translates}}, {tables.of<router>()}};
}

void general_from_inside(benchmark::State& state) {
  network const bed{static_cast<std::uint32_t>(state.range(0))};
  run<general>(state, tables_of(bed, inside, 1), bed.out);
}
BENCHMARK(general_from_inside)->ArgName("sessions")->Arg(5001)->Arg(10'000);

void general_from_outside(benchmark::State& state) {
  network const bed{static_cast<std::uint32_t>(state.range(0))};
  run<general>(state, tables_of(bed, outside, 1), bed.in);
}
BENCHMARK(general_from_outside)->ArgName("sessions")->Arg(5001)->Arg(10'000);

void general_routed(benchmark::State& state) {
  network const bed{static_cast<std::uint32_t>(state.range(0))};
  run<general>(state, tables_of(bed, inside, 0), bed.out);
}
BENCHMARK(general_routed)->ArgName("sessions")->Arg(5001);

}  // namespace
}  // namespace packetwarp
