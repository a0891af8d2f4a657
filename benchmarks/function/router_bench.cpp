// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <rte_fib.h>
#include <rte_memory.h>

#include <array>
#include <memory>
#include <random>
#include <unordered_set>
#include <vector>

#include "fixtures/packet_builder.h"
#include "function/router/router.h"
#include "memory/eal_session.h"
#include "routing/lpm_table.h"
#include "routing/router_table.h"

namespace packetwarp {
namespace {

constexpr std::uint32_t groups = 1 << 16;
constexpr std::size_t lookups = 1 << 16;

// DPDK's table needs the EAL; it is started once and left to the process.
void start_eal() {
  static auto const* const session = new eal_session{
      {.words = {"bench", "--in-memory", "--no-pci", "--log-level=*:error", "-m", "512"}, .notices = {}}};
  benchmark::DoNotOptimize(session);
}

struct route {
  std::uint32_t address;
  std::uint8_t length;
  std::uint32_t next_hop;
};

// `count` different prefixes, half of them /24 and few longer, over all unicast addresses: as in the Internet's table.
std::vector<route> make_routes(std::size_t count) {
  std::mt19937 random{4632};
  std::discrete_distribution<unsigned> lengths{
      {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 15, 8, 14, 26, 43, 51, 105, 100, 600, 4, 4, 4, 4, 4, 4, 1, 10}};
  std::unordered_set<std::uint64_t> known;
  std::vector<route> made;
  while (made.size() < count) {
    auto const length = static_cast<std::uint8_t>(lengths(random));
    auto const address = static_cast<std::uint32_t>((1U << 24) + random() % (223U << 24)) & ~0U << (32 - length);
    if (!known.insert(std::uint64_t{address} << 8 | length).second) continue;
    made.push_back({address, length, static_cast<std::uint32_t>(1 + random() % 1000)});
  }
  return made;
}

// Addresses within the routes, in random order.
std::vector<std::uint32_t> make_addresses(std::vector<route> const& routes) {
  std::mt19937 random{1};
  std::vector<std::uint32_t> made(lookups);
  for (auto& one : made) {
    auto const& within = routes[random() % routes.size()];
    one = within.address | (static_cast<std::uint32_t>(random()) & ~(~0U << (32 - within.length)));
  }
  return made;
}

struct free_fib {
  void operator()(rte_fib* fib) const { rte_fib_free(fib); }
};
std::unique_ptr<rte_fib, free_fib> make_fib() {
  start_eal();
  rte_fib_conf config{};
  config.type = RTE_FIB_DIR24_8;
  config.max_routes = 1 << 20;
  config.dir24_8 = {.nh_sz = RTE_FIB_DIR24_8_4B, .num_tbl8 = groups};
  return std::unique_ptr<rte_fib, free_fib>{rte_fib_create("bench", SOCKET_ID_ANY, &config)};
}
bool fill(rte_fib& fib, std::vector<route> const& routes) {
  for (auto const& one : routes) {
    if (rte_fib_add(&fib, one.address, one.length, one.next_hop) != 0) return false;
  }
  return true;
}
bool fill(lpm_table& table, std::vector<route> const& routes) {
  for (auto const& one : routes) {
    if (!table.set(lpm_prefix::of(wire::ipv4_address{one.address}, one.length), one.next_hop)) return false;
  }
  return true;
}

void insert_routes(benchmark::State& state) {
  auto const routes = make_routes(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    lpm_table table{{}, groups};
    if (!fill(table, routes)) state.SkipWithError("no room");
    state.counters["groups"] = groups - table.groups_free();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(insert_routes)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void insert_routes_rte_fib(benchmark::State& state) {
  auto const routes = make_routes(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    auto const fib = make_fib();
    if (!fib || !fill(*fib, routes)) state.SkipWithError("no room");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(insert_routes_rte_fib)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void look_up(benchmark::State& state) {
  auto const routes = make_routes(static_cast<std::size_t>(state.range(0)));
  lpm_table table{{}, groups};
  if (!fill(table, routes)) state.SkipWithError("no room");
  auto const addresses = make_addresses(routes);
  auto const tables = table.host();
  for (auto _ : state) {
    for (auto const one : addresses) benchmark::DoNotOptimize(routing::longest_match(tables, wire::ipv4_address{one}));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(lookups));
}
BENCHMARK(look_up)->Arg(1'000)->Arg(1'000'000);

// In bulks of 32, as the library intends.
void look_up_rte_fib(benchmark::State& state) {
  auto const routes = make_routes(static_cast<std::size_t>(state.range(0)));
  auto const fib = make_fib();
  if (!fib || !fill(*fib, routes)) state.SkipWithError("no room");
  auto addresses = make_addresses(routes);
  std::array<std::uint64_t, 32> found{};
  for (auto _ : state) {
    for (std::size_t n = 0; n < lookups; n += found.size()) {
      rte_fib_lookup_bulk(fib.get(), addresses.data() + n, found.data(), found.size());
      benchmark::DoNotOptimize(found.data());
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(lookups));
}
BENCHMARK(look_up_rte_fib)->Arg(1'000)->Arg(1'000'000);

// The whole function on 60-byte UDP frames, each to an address of its own; the frames are made anew outside of the
// time.
void route_frames(benchmark::State& state) {
  constexpr std::size_t frames = 1 << 12;
  auto const routes = make_routes(static_cast<std::size_t>(state.range(0)));
  router_table table{{}, {.ipv4_groups = groups}};
  auto const interface = table.add_interface(wire::mac_address::from_number(0x02'00'00'00'00'02), 1500);
  table.add_address(interface, {wire::ipv4_address{0x0a00'0001}, 24});
  neighbour_key const gateway{interface, wire::ipv4_address{0x0a00'0002}};
  for (auto const& one : routes) table.set_route({wire::ipv4_address{one.address}, one.length}, gateway);
  if (!table.set_neighbour(gateway, wire::mac_address::from_number(0x02'00'00'00'00'99)))
    state.SkipWithError("no room");
  auto const addresses = make_addresses(routes);
  auto const fresh = test::packet_builder{}.eth().ipv4("11.0.0.9", "1.1.1.1").ttl(255).udp(1, 2).payload(18).build();
  std::vector<std::array<std::byte, 64>> memory(frames);
  auto const refill = [&] {
    for (std::size_t n = 0; n < frames; ++n) {
      std::copy(fresh.begin(), fresh.end(), memory[n].begin());
      wire::ipv4_view const ip{memory[n].data() + routing::ip_at};
      ip.set_destination(wire::ipv4_address{addresses[n]});
      ip.fill_checksum();
    }
  };
  auto const tables = table.cpu(interface);
  for (auto _ : state) {
    state.PauseTiming();
    refill();
    state.ResumeTiming();
    for (auto& frame : memory) {
      benchmark::DoNotOptimize(router::process({frame.data(), 60, 60}, tables));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(frames));
}
BENCHMARK(route_frames)->Arg(1'000)->Arg(1'000'000);

}  // namespace
}  // namespace packetwarp
