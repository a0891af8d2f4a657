// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <benchmark/benchmark.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "base/cycles.h"
#include "burst/burst_ring.h"
#include "executor/cpu.h"
#include "function/chain.h"
#include "function/nat44/nat44.h"
#include "function/nat44/nat44_table.h"
#include "function/router/router.h"
#include "routing/router_table.h"
#include "wire/ethernet.h"

// NAT44 on one CPU, a burst at a time through its executor: frames of 60 bytes, one of each session in rotation, in an
// order that no cache can predict, put into the same few mbufs again and again, as a port does. The sessions exist
// before; the connections of TCP are established, and the packets are segments with ACK.
namespace packetwarp::nat44_bed {

inline constexpr std::uint32_t frame = 60;
inline constexpr std::uint32_t burst_size = 64;
inline constexpr std::uint32_t mbufs = 512;  // a port's: the number that its pool's cache hands out
inline constexpr std::uint64_t router_mac = 0x02'00'00'00'00'10;
inline constexpr interface_index inside{0};
inline constexpr interface_index outside{1};
inline constexpr wire::ipv4_address gateway{0xc633'64fe};
inline constexpr wire::ipv4_address remote{0xc000'0209};
inline constexpr wire::ipv4_address inside_gateway{0x0a80'0002};

using head = std::array<std::byte, 64>;

inline constexpr std::uint32_t ports_at = routing::ip_at + 20;
inline constexpr std::uint8_t ack = wire::tcp_flag::ack;
inline constexpr std::uint8_t syn = wire::tcp_flag::syn;

inline void fill_transport(std::byte* bytes, nat::transport kind, nat::endpoint from, nat::endpoint to) {
  wire::udp_view const udp{bytes};
  udp.set_source_port(from.port);
  udp.set_destination_port(to.port);
  if (kind == nat::transport::udp) {
    udp.set_length(frame - ports_at);
    udp.set_checksum(0x1234);
    return;
  }
  wire::tcp_view const tcp{bytes};
  tcp.set_header_length(wire::tcp_view<std::byte>::min_header_length);
  tcp.set_checksum(0x1234);
}
inline void set_flags(head& packet, std::uint8_t flags) { wire::tcp_view{packet.data() + ports_at}.set_flags(flags); }

inline void fill(std::byte* bytes, std::uint64_t mac, nat::transport kind, nat::endpoint from, nat::endpoint to) {
  wire::ethernet_view const ethernet{bytes};
  ethernet.set_destination(wire::mac_address::from_number(mac));
  ethernet.set_type(wire::ether_type::ipv4);
  wire::ipv4_view const ip{bytes + routing::ip_at};
  ip.set_header_length(20);
  ip.set_total_length(frame - routing::ip_at);
  ip.set_ttl(64);
  ip.set_protocol(kind == nat::transport::udp ? wire::ip_protocol::udp : wire::ip_protocol::tcp);
  ip.set_source(from.address);
  ip.set_destination(to.address);
  ip.fill_checksum();
  fill_transport(bytes + ports_at, kind, from, to);
}

[[nodiscard]] inline nat44_config config_of(std::uint32_t sessions) {
  nat44_config made;
  made.pool = {{{0xc6120000}, {0xc6120000 + 63}}};
  made.sessions = sessions + sessions / 8 + 64;
  made.per_host = made.per_prefix = made.sessions;  // counted, and never reached
  made.interfaces = {nat::side::inside, nat::side::outside};
  made.hash_key = {0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};
  return made;
}

// Two interfaces, and as many sessions, of which a packet from inside and one from outside are kept.
class network {
 public:
  explicit network(std::uint32_t sessions, nat::transport kind = nat::transport::udp) : nat_{config_of(sessions)} {
    routes_.add_interface(wire::mac_address::from_number(router_mac), 1500);
    routes_.add_interface(wire::mac_address::from_number(router_mac + 1), 1500);
    routes_.add_address(inside, {wire::ipv4_address{0x0a80'0001}, 16});
    routes_.add_address(outside, {wire::ipv4_address{0xc633'6401}, 24});
    neighbour_key const far{outside, gateway};
    neighbour_key const near{inside, inside_gateway};
    routes_.set_route({wire::ipv4_address{0}, 0}, far);
    routes_.set_route({wire::ipv4_address{0x0a00'0000}, 9}, near);
    for (auto const& key : {far, near}) {
      if (!routes_.set_neighbour(key, wire::mac_address::from_number(0x02'00'00'00'00'21))) {
        throw failure("bench: no room for a neighbour");
      }
    }
    nat_.tick(1);
    for (std::uint32_t n = 0; n < sessions; ++n) open(n, kind);
    for (auto* heads : {&out, &in}) shuffle(*heads);
  }
  [[nodiscard]] chain<nat44, router>::ref tables(interface_index ingress) const {
    return {nat_.cpu(), routes_.cpu(ingress)};
  }

  std::vector<head> out;  // as they come in, one of each session
  std::vector<head> in;

 private:
  void open(std::uint32_t n, nat::transport kind) {
    bool const is_tcp = kind == nat::transport::tcp;
    nat::endpoint const host{{0x0a000000 + n / 64}, static_cast<std::uint16_t>(2048 + n % 64 * 17)};
    nat::endpoint const peer{remote, 53};
    fill(out.emplace_back().data(), router_mac, kind, host, peer);
    auto first = out.back();
    if (is_tcp) set_flags(first, syn);
    pass(first, inside);
    wire::ipv4_view const ip{first.data() + routing::ip_at};
    nat::endpoint const seen{ip.source(), wire::udp_view{ip.payload()}.source_port()};
    fill(in.emplace_back().data(), router_mac + 1, kind, peer, seen);
    if (!is_tcp) return;
    auto answer = in.back();
    set_flags(answer, syn | ack);
    pass(answer, outside);
    set_flags(out.back(), ack);
    set_flags(in.back(), ack);
  }
  void pass(head& packet, interface_index from) {
    auto const said = chain<nat44, router>::process({packet.data(), frame, frame}, tables(from));
    if (said.what() != verdict::action::forward) throw failure("bench: a session was not made");
  }
  static void shuffle(std::vector<head>& heads) {
    for (std::size_t i = heads.size(); i > 1; --i) std::swap(heads[i - 1], heads[nat::mix(i) % i]);
  }

  router_table routes_{{}, {.ipv4_groups = 64, .ipv6_groups = 16, .next_hops = 64, .hosts = 64}};
  nat44_table nat_;
};

// Memory as a pool lays it out; no EAL is needed to read and write it.
class port {
 public:
  port() : buffers_(mbufs) {
    for (auto& one : buffers_) {
      std::memset(&one.mbuf, 0, sizeof one.mbuf);
      one.mbuf.buf_addr = one.room.data();
      one.mbuf.data_off = RTE_PKTMBUF_HEADROOM;
      one.mbuf.data_len = frame;
      one.mbuf.pkt_len = frame;
      one.mbuf.nb_segs = 1;
    }
  }
  void receive(burst& into, std::span<head const> heads) {
    for (std::uint32_t i = 0; i < burst_size; ++i) {
      auto& one = buffers_[next_++ % mbufs];
      std::memcpy(one.room.data() + RTE_PKTMBUF_HEADROOM, heads[at_].data(), sizeof(head));
      if (++at_ == heads.size()) at_ = 0;
      into.packets[i] = &one.mbuf;
    }
    into.size = burst_size;
  }

 private:
  struct alignas(64) buffer {
    rte_mbuf mbuf;
    std::array<std::byte, RTE_MBUF_DEFAULT_BUF_SIZE> room{};
  };
  std::vector<buffer> buffers_;
  std::uint32_t next_{0};
  std::size_t at_{0};
};

// clocks: of the time-stamp counter, per packet, in the executor alone. least: of the quickest 64 bursts in a row,
// which were disturbed least.
template <class F>
void run(benchmark::State& state, typename F::ref const& tables, std::span<head const> heads) {
  constexpr unsigned bursts = 64;
  burst_ring ring{4, burst_size};
  cpu_executor<F> executor{ring, tables, std::chrono::nanoseconds{0}};
  port from;
  cycles all = 0;
  cycles least = std::numeric_limits<cycles>::max();
  std::uint64_t forwarded = 0;
  for (auto _ : state) {
    cycles spent = 0;
    for (unsigned n = 0; n < bursts; ++n) {
      from.receive(*ring.open(), heads);
      ring.publish();
      auto const begin = now_cycles();
      benchmark::DoNotOptimize(executor.poll());
      spent += now_cycles() - begin;
      benchmark::DoNotOptimize(ring.next_done());
      bool const all_forwarded =
          ring.outcome().is_uniform() && ring.outcome().of_all().what() == verdict::action::forward;
      forwarded += all_forwarded ? burst_size : 0;
      ring.release();
    }
    all += spent;
    least = std::min(least, spent);
  }
  auto const packets = static_cast<std::uint64_t>(state.iterations()) * bursts * burst_size;
  if (forwarded != packets) state.SkipWithError("some packets were not forwarded");
  state.SetItemsProcessed(static_cast<std::int64_t>(packets));
  state.counters["clocks"] = static_cast<double>(all) / static_cast<double>(packets);
  state.counters["least"] = static_cast<double>(least) / (bursts * burst_size);
}

}  // namespace packetwarp::nat44_bed
