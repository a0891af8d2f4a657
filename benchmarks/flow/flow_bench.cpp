// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "flow/reference_flows.h"
#include "module/rules/rules_bed.h"

namespace packetwarp::flow {
namespace {

using test::reference_flows;

void parse_reference_rules(benchmark::State& state) {
  auto const text = reference_flows::text();
  for (auto _ : state) {
    auto const read = parse_text(text, "flows.txt");
    if (read.size() != reference_flows::rules) state.SkipWithError("not all rules were read");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(reference_flows::rules));
}
BENCHMARK(parse_reference_rules)->Unit(benchmark::kMillisecond);

// From text to a table that packets can go through.
void load_reference_rules(benchmark::State& state) {
  auto const text = reference_flows::text();
  for (auto _ : state) {
    test::rules_bed const bed{text};
    if (bed.compiled().all.size() != reference_flows::rules) state.SkipWithError("not all rules were loaded");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(reference_flows::rules));
}
BENCHMARK(load_reference_rules)->Unit(benchmark::kMillisecond);

// Both directions' work on packets of many flows in rotation: a jump, a lookup, a new port, new addresses, one hop
// less.
void process_reference_flows(benchmark::State& state) {
  test::rules_bed const bed{reference_flows::text()};
  rules_egress const egresses[] = {{port_id{0}, egress_index{10}}, {port_id{1}, egress_index{11}}};
  auto const tables = bed.table().ref(port_id{1}, egresses);
  std::vector<test::bytes> frames;
  for (unsigned n = 0; n < 4096; ++n) {
    auto const port = reference_flows::first_port + n * 2741 % 5001;
    frames.push_back(test::packet_builder{}.eth().ipv4("2.2.2.2", "1.1.1.2").udp(port, 5000).payload(18).build());
  }
  auto const before = frames;
  std::size_t next = 0;
  for (auto _ : state) {
    // The changed bytes are put back, which is a copy of 60 bytes.
    auto& frame = frames[next % frames.size()];
    std::copy(before[next % frames.size()].begin(), before[next % frames.size()].end(), frame.begin());
    auto const size = static_cast<std::uint32_t>(frame.size());
    auto const said = rules::process({frame.data(), size, size}, tables);
    if (said != verdict::forward(egress_index{10})) state.SkipWithError("a packet went astray");
    ++next;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(process_reference_flows);

}  // namespace
}  // namespace packetwarp::flow
