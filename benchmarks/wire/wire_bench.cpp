// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "fixtures/packet_builder.h"
#include "wire/checksum.h"
#include "wire/parse.h"

namespace packetwarp::wire {
namespace {

void checksum_of_bytes(benchmark::State& state) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(state.range(0)), std::byte{0x5a});
  for (auto _ : state) {
    benchmark::DoNotOptimize(bytes.data());
    benchmark::ClobberMemory();
    benchmark::DoNotOptimize(internet_sum{}.add(bytes.data(), bytes.size()).checksum());
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(checksum_of_bytes)->Arg(60)->Arg(1500);

void parse_udp_frame(benchmark::State& state) {
  auto const frame = test::packet_builder{}.eth().ipv4().udp(1'024, 53).payload(18).build();
  if (frame.size() != 60) state.SkipWithError("the frame is not of 60 bytes");
  if (parse(frame.data(), frame.size()).protocol != ip_protocol::udp) state.SkipWithError("the frame is not UDP");
  for (auto _ : state) {
    benchmark::DoNotOptimize(frame.data());
    benchmark::ClobberMemory();
    benchmark::DoNotOptimize(parse(frame.data(), frame.size()));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(parse_udp_frame);

}  // namespace
}  // namespace packetwarp::wire
