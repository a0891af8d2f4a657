// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fixtures/packet_builder.h"
#include "function/chain.h"
#include "function/nat44/nat44.h"
#include "function/nat44/nat44_table.h"
#include "function/router/router.h"
#include "routing/router_table.h"
#include "wire/address_text.h"

// A router with two inside interfaces and one outside, and a NAT44 on it:
//   hosts 10.0.0.x  -- 0: 10.0.0.1/24 --+
//   hosts 10.1.0.x  -- 1: 10.1.0.1/24 --+-- 2: 198.51.100.1/24 -- gateway 198.51.100.254 -- everything else
namespace packetwarp::test {

using routed_nat44 = chain<nat44, router>;

inline constexpr interface_index inside{0};
inline constexpr interface_index inside_too{1};
inline constexpr interface_index outside{2};

inline constexpr std::string_view router_mac[] = {"02:00:00:00:00:10", "02:00:00:00:00:11", "02:00:00:00:00:12"};
inline constexpr std::string_view host_mac[] = {"02:00:00:00:00:20", "02:00:00:00:00:21", "02:00:00:00:00:22"};

[[nodiscard]] inline wire::ipv4_address ipv4(std::string_view text) { return wire::parse_ipv4(text).value(); }
[[nodiscard]] inline nat::endpoint at(std::string_view address, std::uint16_t port) { return {ipv4(address), port}; }

// A single outside address, 203.0.113.1, and a small table.
[[nodiscard]] inline nat44_config small_nat() {
  nat44_config made;
  made.pool = {{ipv4("203.0.113.1"), ipv4("203.0.113.1")}};
  made.sessions = 1000;
  made.per_host = made.per_prefix = 0;                             // shares_test.cpp is about them
  made.hash_key = {0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};  // the same in each run
  made.interfaces = {nat::side::inside, nat::side::inside, nat::side::outside};
  return made;
}

class nat44_bed {
 public:
  explicit nat44_bed(nat44_config config = small_nat()) : nat_{std::move(config)} {
    set_up(routes_);
    nat_.tick(0);
  }

  // The interfaces, routes and neighbours of the picture above.
  static void set_up(router_table& routes) {
    for (auto const mac : router_mac) routes.add_interface(wire::parse_mac(mac).value(), 1500);
    routes.add_address(inside, {ipv4("10.0.0.1"), 24});
    routes.add_address(inside_too, {ipv4("10.1.0.1"), 24});
    routes.add_address(outside, {ipv4("198.51.100.1"), 24});
    // All destinations of the tests. A default route would be 16 million entries for each of them.
    for (auto const* net : {"192.0.0.0", "198.0.0.0", "203.0.0.0"})
      routes.set_route({ipv4(net), 8}, neighbour_key{outside, ipv4("198.51.100.254")});
    know(routes, outside, "198.51.100.254");
    for (auto const* host : {"10.0.0.2", "10.0.0.3", "10.0.0.4"}) know(routes, inside, host);
    know(routes, inside_too, "10.1.0.2");
  }

  // Runs the function on a packet that came in by an interface. A repetition must have the same result, and so must a
  // CPU that has looked ahead.
  verdict process(bytes& packet, interface_index from) {
    auto again = packet;
    auto third = packet;
    auto const said = process_ahead(packet, from);
    expect_same(process_now(again, from), again, said, packet);
    expect_same(process_ahead(third, from), third, said, packet);
    return said;
  }

  // The function's view of a packet and the tables.
  static packet_view view_of(bytes& packet) {
    auto const size = static_cast<std::uint32_t>(packet.size());
    return {packet.data(), size, size};
  }
  [[nodiscard]] routed_nat44::ref tables(interface_index from) const { return {nat_.cpu(), routes_.cpu(from)}; }
  // The steps of a CPU that looks ahead, up to process().
  [[nodiscard]] routed_nat44::outlook look_ahead(bytes packet, interface_index from) const {
    auto const all = tables(from);
    auto seen = routed_nat44::look_ahead(view_of(packet), routed_nat44::hold(all));
    routed_nat44::look_further(seen, routed_nat44::hold(all));
    return seen;
  }

  nat44_table& nat() { return nat_; }
  router_table& routes() { return routes_; }

  // The sessions there are, as "udp 10.0.0.2:1000 203.0.113.1:1000".
  [[nodiscard]] std::vector<std::string> sessions() const {
    std::vector<std::string> all;
    nat_.for_each([&](nat44_session const& one) {
      constexpr std::string_view names[] = {"udp", "tcp", "icmp"};
      auto const text = [](nat::endpoint end) { return wire::to_text(end.address) + ":" + std::to_string(end.port); };
      all.push_back(std::string{names[static_cast<std::size_t>(one.kind)]} + " " + text(one.inside) + " " +
                    text(one.outside));
    });
    std::ranges::sort(all);
    return all;
  }

 private:
  verdict process_now(bytes& packet, interface_index from) {
    return routed_nat44::process(view_of(packet), tables(from));
  }
  verdict process_ahead(bytes& packet, interface_index from) {
    auto const all = tables(from);
    return routed_nat44::process(view_of(packet), routed_nat44::hold(all), look_ahead(packet, from));
  }
  static void expect_same(verdict said, bytes const& packet, verdict wanted, bytes const& wanted_packet) {
    EXPECT_EQ(said.raw(), wanted.raw());
    EXPECT_EQ(to_hex(packet), to_hex(wanted_packet));
  }
  static void know(router_table& routes, interface_index interface, std::string_view address) {
    auto const mac = wire::parse_mac(host_mac[static_cast<std::size_t>(interface)]).value();
    if (!routes.set_neighbour({interface, ipv4(address)}, mac)) throw std::runtime_error{"no room for a neighbour"};
  }
  router_table routes_{{}, {.ipv4_groups = 64, .ipv6_groups = 16, .next_hops = 64, .hosts = 64}};
  nat44_table nat_;
};

// The Ethernet and IPv4 headers of a packet that comes to the router by an interface, and of one that leaves by it with
// a hop less.
[[nodiscard]] inline packet_builder coming(interface_index by, std::string_view source, std::string_view destination) {
  auto const n = static_cast<std::size_t>(by);
  return packet_builder{}.eth(host_mac[n], router_mac[n]).ipv4(source, destination).ttl(64);
}
[[nodiscard]] inline packet_builder leaving(interface_index by, std::string_view source, std::string_view destination) {
  auto const n = static_cast<std::size_t>(by);
  return packet_builder{}.eth(router_mac[n], host_mac[n]).ipv4(source, destination).ttl(63);
}

[[nodiscard]] inline verdict forwarded(interface_index by) { return verdict::forward(static_cast<egress_index>(by)); }

[[nodiscard]] inline std::string_view name_of(verdict said) {
  if (said.what() == verdict::action::drop) return drop_name<routed_nat44>(said.why());
  if (said.what() == verdict::action::punt) return to_string(said.why_punted());
  return "forward";
}

// Expects that a packet from one interface leaves by another as `wanted`, byte for byte.
inline void expect_translation(nat44_bed& bed, interface_index from, bytes packet, interface_index to,
                               bytes const& wanted) {
  auto const said = bed.process(packet, from);
  EXPECT_EQ(said, forwarded(to)) << name_of(said);
  EXPECT_EQ(to_hex(packet), to_hex(wanted));
}

// Expects that a packet is dropped or punted under that name, unchanged.
inline void expect_refusal(nat44_bed& bed, interface_index from, bytes const& packet, std::string_view name) {
  auto after = packet;
  auto const said = bed.process(after, from);
  EXPECT_EQ(name_of(said), name);
  EXPECT_EQ(to_hex(after), to_hex(packet));
}

// A packet from inside, and its answer: a session that does not make room for others.
inline void open_answered(nat44_bed& bed, bytes packet) {
  ASSERT_EQ(bed.process(packet, inside), forwarded(outside));
  auto const text = [&](std::size_t at) {
    return std::to_string(static_cast<unsigned>(packet[at])) + "." +
           std::to_string(static_cast<unsigned>(packet[at + 1])) + "." +
           std::to_string(static_cast<unsigned>(packet[at + 2])) + "." +
           std::to_string(static_cast<unsigned>(packet[at + 3]));
  };
  auto const port = [&](std::size_t at) {
    return static_cast<unsigned>(packet[at]) << 8 | static_cast<unsigned>(packet[at + 1]);
  };
  auto answer = coming(outside, text(30), text(26));
  bool const is_tcp = packet[23] == std::byte{6};
  auto back = is_tcp ? answer.tcp(port(36), port(34), 0x12).build() : answer.udp(port(36), port(34)).build();
  ASSERT_EQ(bed.process(back, outside), forwarded(inside));
}

// An ICMP error that holds a packet from its IP header on, of the given length.
[[nodiscard]] inline bytes error_message(unsigned type, unsigned code, bytes const& frame, std::size_t length) {
  auto message = to_bytes({type, code, 0, 0, 0, 0, 0, 0});
  message.insert(message.end(), frame.begin() + 14, frame.begin() + 14 + static_cast<std::ptrdiff_t>(length));
  unsigned sum = 0;
  for (std::size_t i = 0; i < message.size(); ++i) {
    sum += static_cast<unsigned>(message[i]) << (i % 2 == 0 ? 8 : 0);
    sum = (sum & 0xffff) + (sum >> 16);
  }
  message[2] = static_cast<std::byte>(~sum >> 8 & 0xff);
  message[3] = static_cast<std::byte>(~sum & 0xff);
  return message;
}

}  // namespace packetwarp::test
