// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "function/nat44/nat44.h"
#include "function/nat44/nat44_table.h"
#include "function/router/router_table.h"
#include "wire/ethernet.h"

// NAT44 on one CPU: packets of 60 bytes, of sessions that are there, in an order that no cache foresees.
namespace packetwarp {
namespace {

constexpr std::uint32_t frame = 60;
constexpr std::uint32_t stride = 2048 + 128;  // as packets lie in a pool
constexpr std::uint32_t packets = 512;
constexpr std::uint64_t router_mac = 0x02'00'00'00'00'10;
constexpr interface_index inside{0};
constexpr interface_index outside{1};

[[nodiscard]] nat44_config config_of(std::uint32_t sessions) {
  nat44_config made;
  made.pool = {{{0xc6120000}, {0xc6120000 + 63}}};
  made.sessions = sessions + sessions / 8 + 64;
  made.interfaces = {nat::side::inside, nat::side::outside};
  return made;
}

class bench {
 public:
  explicit bench(std::uint32_t sessions) : nat_{config_of(sessions)}, memory_(std::size_t{packets} * stride) {
    routes_.add_interface(wire::mac_address::from_number(router_mac), 1500);
    routes_.add_interface(wire::mac_address::from_number(router_mac + 1), 1500);
    routes_.add_address(outside, {wire::ipv4_address{0xc633'6401}, 24});
    neighbour_key const far{outside, wire::ipv4_address{0xc633'64fe}};
    routes_.set_route({wire::ipv4_address{0}, 0}, far);
    if (!routes_.set_neighbour(far, wire::mac_address::from_number(0x02'00'00'00'00'21))) {
      throw failure("bench: no room for a neighbour");
    }
    nat_.tick(1);
    for (std::uint32_t n = 0; n < sessions; ++n) {
      fill(0, n);
      if (run(0).what() != verdict::action::forward) throw failure("bench: a session was not made");
    }
    for (std::uint32_t i = 0; i < packets; ++i) fill(i, static_cast<std::uint32_t>(nat::mix(i + 1) % sessions));
    heads_.resize(std::size_t{packets} * frame);
    for (std::uint32_t i = 0; i < packets; ++i) std::memcpy(&heads_[std::size_t{i} * frame], at(i), frame);
  }
  // As it was before it was translated.
  void restore(std::uint32_t i) { std::memcpy(at(i), &heads_[std::size_t{i} * frame], frame); }
  [[nodiscard]] verdict run(std::uint32_t i) { return nat44::process({at(i), frame, frame}, tables_); }

 private:
  [[nodiscard]] std::byte* at(std::uint32_t i) { return memory_.data() + std::size_t{i} * stride; }
  void fill(std::uint32_t i, std::uint32_t session) {
    auto* const bytes = at(i);
    std::memset(bytes, 0, frame);
    wire::ethernet_view const ethernet{bytes};
    ethernet.set_destination(wire::mac_address::from_number(router_mac));
    ethernet.set_type(wire::ether_type::ipv4);
    wire::ipv4_view const ip{bytes + routing::ip_at};
    ip.set_header_length(20);
    ip.set_total_length(frame - routing::ip_at);
    ip.set_ttl(64);
    ip.set_protocol(wire::ip_protocol::udp);
    ip.set_source({0x0a000000 + session / 64});
    ip.set_destination({0xc0000209});
    ip.fill_checksum();
    wire::udp_view const udp{bytes + routing::ip_at + 20};
    udp.set_source_port(static_cast<std::uint16_t>(2048 + session % 64 * 17));
    udp.set_destination_port(53);
    udp.set_length(frame - routing::ip_at - 20);
    udp.set_checksum(0x1234);
  }

  router_table routes_{{}, {.ipv4_groups = 64, .ipv6_groups = 16, .next_hops = 64, .hosts = 64}};
  nat44_table nat_;
  nat44::ref tables_{routes_.cpu(inside), nat_.cpu()};
  std::vector<std::byte> memory_;
  std::vector<std::byte> heads_;
};

// Putting the packets back as they were is a part of what is measured: see restored_only.
void translated(benchmark::State& state) {
  bench one{static_cast<std::uint32_t>(state.range(0))};
  std::uint64_t forwarded = 0;
  for (auto _ : state) {
    for (std::uint32_t i = 0; i < packets; ++i) {
      one.restore(i);
      forwarded += one.run(i).what() == verdict::action::forward;
    }
  }
  auto const all = static_cast<std::uint64_t>(state.iterations()) * packets;
  if (forwarded != all) state.SkipWithError("some packets were not forwarded");
  state.SetItemsProcessed(static_cast<std::int64_t>(all));
}
BENCHMARK(translated)->Arg(5001)->Arg(1'000'000);

void restored_only(benchmark::State& state) {
  bench one{static_cast<std::uint32_t>(state.range(0))};
  for (auto _ : state) {
    for (std::uint32_t i = 0; i < packets; ++i) one.restore(i);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * packets);
}
BENCHMARK(restored_only)->Arg(5001);

}  // namespace
}  // namespace packetwarp
