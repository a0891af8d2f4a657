// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "nat44_bed.h"

namespace packetwarp {
namespace {

using namespace nat44_bed;

template <nat::transport kind>
void from_inside(benchmark::State& state) {
  network const bed{static_cast<std::uint32_t>(state.range(0)), kind};
  run<chain<nat44, router>>(state, bed.tables(inside), bed.out);
}
BENCHMARK(from_inside<nat::transport::udp>)
    ->Name("from_inside")
    ->ArgName("sessions")
    ->Arg(1)
    ->Arg(5001)
    ->Arg(10'000)
    ->Arg(1'000'000);
BENCHMARK(from_inside<nat::transport::tcp>)->Name("from_inside_tcp")->ArgName("sessions")->Arg(5001)->Arg(1'000'000);

template <nat::transport kind>
void from_outside(benchmark::State& state) {
  network const bed{static_cast<std::uint32_t>(state.range(0)), kind};
  run<chain<nat44, router>>(state, bed.tables(outside), bed.in);
}
BENCHMARK(from_outside<nat::transport::udp>)
    ->Name("from_outside")
    ->ArgName("sessions")
    ->Arg(1)
    ->Arg(5001)
    ->Arg(10'000)
    ->Arg(1'000'000);
BENCHMARK(from_outside<nat::transport::tcp>)->Name("from_outside_tcp")->ArgName("sessions")->Arg(5001)->Arg(1'000'000);

// The same packets, only routed.
void routed(benchmark::State& state) {
  network const bed{static_cast<std::uint32_t>(state.range(0))};
  run<router>(state, bed.tables(inside).of<router>(), bed.out);
}
BENCHMARK(routed)->ArgName("sessions")->Arg(5001);

}  // namespace
}  // namespace packetwarp
