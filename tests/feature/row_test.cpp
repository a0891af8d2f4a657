// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "feature/row.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "feature/level.h"
#include "feature/traffic.h"

namespace packetwarp::test::features {
namespace {

using feature::level;
using enum feature::place;
namespace tcp_flag = wire::tcp_flag;

std::string const client = "10.0.0.1";
std::string const server = "10.0.0.2";

// The named places have these values; those of `from` to `to` that are not named have 0.
void expect_row(row const& seen, place from, place to, std::initializer_list<std::pair<place, int>> named) {
  row wanted{};
  for (auto const& [where, value] : named) wanted[static_cast<std::size_t>(where)] = static_cast<std::int8_t>(value);
  for (auto i = static_cast<std::size_t>(from); i <= static_cast<std::size_t>(to); ++i) {
    EXPECT_EQ(int{seen[i]}, int{wanted[i]}) << feature::names[i];
  }
}

TEST(feature_row, has_the_packet_by_itself) {
  pipeline one;
  auto const options = to_bytes({1, 1, 1, 0});
  auto const frame = packet_builder{}.eth().ipv6().tcp(50000, 443, 0x3f, options).payload(100).build();
  auto const facts = facts_of(frame);
  expect_row(one.see(frame, 1), length, to_service,
             {{length, level(14 + 40 + 24 + 100)},
              {ipv6, 64},
              {tcp, 64},
              {fin, 64},
              {syn, 64},
              {rst, 64},
              {psh, 64},
              {ack, 64},
              {urg, 64},
              {payload, level(100)},
              {window, level(facts.window)},
              {tcp_options, 4},
              {source_port, 96},
              {destination_port, 32},
              {to_service, 64}});
  expect_row(one.see(udp_frame(client, server, 1024, 49151), 1), length, to_service,
             {{length, 24}, {udp, 64}, {payload, level(18)}, {source_port, 64}, {destination_port, 64}});
  expect_row(one.see(packet_builder{}.eth().ipv4().icmp_echo(1, 2).payload(2).build(), 1), length, to_service,
             {{length, level(44)}, {icmp, 64}, {payload, level(2)}});
  expect_row(one.see(packet_builder{}.eth().ipv4().fragment(8, 1).protocol(132).payload(8).build(), 1), length,
             to_service, {{length, level(42)}, {other_protocol, 64}, {payload, level(8)}, {fragment, 64}});
}

TEST(feature_row, of_a_packet_that_is_not_ip_has_its_length_alone_and_leaves_no_state) {
  pipeline one;
  auto const arp = packet_builder{}.eth().arp_request(client, server).pad_to(60).build();
  for (std::uint64_t const epoch : {1U, 5U}) {
    expect_row(one.see(arp, epoch), length, destination_sent_slow_peers, {{length, level(60)}});
  }
  EXPECT_EQ(one.ref().flows.counts->inserted + one.ref().hosts.counts->inserted, 0u);
}

TEST(feature_row, ends_with_zeroes) {
  auto const seen = pipeline{}.see(udp_frame(client, server, 1, 2), 1);
  for (std::size_t i = feature::features; i < seen.size(); ++i) EXPECT_EQ(int{seen[i]}, 0) << i;
}

// A client's request, the answer, and the end, as the next packet sees them.
TEST(feature_row, has_the_flow_before_the_packet) {
  pipeline one;
  one.see(tcp_frame(client, server, 40000, 80, tcp_flag::syn), 10);                       // 54 bytes
  one.see(tcp_frame(server, client, 80, 40000, tcp_flag::syn | tcp_flag::ack, 46), 11);   // 100
  one.see(tcp_frame(client, server, 40000, 80, tcp_flag::fin | tcp_flag::ack, 446), 12);  // 500
  one.see(tcp_frame(client, server, 40000, 80, tcp_flag::rst), 12);                       // 54
  auto const next = tcp_frame(client, server, 40000, 80, tcp_flag::ack);
  expect_row(one.see(next, 30), flow_packets, flow_rate,
             {{flow_packets, level(3)},
              {flow_packets_back, level(1)},
              {flow_bytes, level(608)},
              {flow_bytes_back, level(100)},
              {flow_mean, level(177)},
              {flow_min, level(54)},
              {flow_max, level(500)},
              {flow_syn, level(2)},
              {flow_fin, level(1)},
              {flow_rst, level(1)},
              {flow_age, level(20)},
              {flow_idle, level(18)},
              {flow_rate, level(4)}});
  auto const back = one.see(tcp_frame(server, client, 80, 40000, tcp_flag::ack), 30);
  EXPECT_EQ(at(back, flow_packets), level(1));
  EXPECT_EQ(at(back, flow_packets_back), level(3));
}

TEST(feature_row, has_what_both_hosts_did) {
  pipeline one;
  std::string const other = "10.0.0.3";
  one.see(tcp_frame(client, server, 40000, 80, tcp_flag::syn), 1);                             // 54 bytes
  one.see(tcp_frame(client, server, 40001, 81, tcp_flag::syn), 1);                             // 54
  one.see(tcp_frame(server, client, 81, 40001, tcp_flag::rst | tcp_flag::ack), 1);             // 54
  one.see(udp_frame(client, other, 40000, 53), 1);                                             // 60
  one.see(udp_frame(other, client, 53, 40000, 58), 1);                                         // 100
  auto error = packet_builder{}.eth().ipv4(other, client).icmp_echo(0, 0).payload(8).build();  // 50
  error[34] = std::byte{3};
  one.see(error, 1);
  expect_row(one.see(udp_frame(client, server, 5, 6), 3), source_packets, destination_sent_slow_peers,
             {{source_packets, level(3)},
              {source_bytes, level(168)},
              {source_syn, level(2)},
              {source_flows, level(3)},
              {source_ports, 2 * 3},
              {source_peers, 2 * 2},
              {source_got_packets, level(3)},
              {source_got_rst, level(1)},
              {source_got_icmp, level(1)},
              {destination_packets, level(2)},
              {destination_bytes, level(108)},
              {destination_syn, level(2)},
              {destination_flows, level(2)},
              {destination_ports, 2 * 2},
              {destination_peers, 2},
              {destination_sent_packets, level(1)},
              {destination_sent_rst, level(1)},
              {source_got_bytes, level(204)},
              {source_got_peers, 2 * 2},
              {source_slow_ports, 2 * 3},
              {source_slow_peers, 2 * 2},
              {source_slow_refused, level(2)},
              {destination_slow_ports, 2 * 2},
              {destination_sent_slow_peers, 2}});
  auto const back = one.see(udp_frame(server, client, 6, 5), 3);
  EXPECT_EQ(at(back, source_rst), level(1));
  EXPECT_EQ(at(back, source_flows), 0);  // answers begin no flow
  EXPECT_EQ(at(back, source_ports), 0);
  EXPECT_EQ(at(back, source_got_syn), level(2));
  EXPECT_EQ(at(back, source_got_flows), level(2));
  EXPECT_EQ(at(back, source_got_ports), 2 * 2);
  EXPECT_EQ(at(back, source_got_peers), 2);
  EXPECT_EQ(at(back, destination_sent_flows), level(3));
  EXPECT_EQ(at(back, destination_sent_slow_ports), 2 * 3);
  EXPECT_EQ(at(back, destination_sent_slow_peers), 2 * 2);
  EXPECT_EQ(at(back, destination_slow_refused), level(2));
  EXPECT_EQ(at(one.see(udp_frame(client, other, 5, 6), 3), destination_sent_icmp), level(1));
}

TEST(feature_row, counts_a_flow_once_in_an_epoch_and_direction) {
  pipeline one;
  for (unsigned i = 0; i < 10; ++i) one.see(udp_facts(1, 2, 40000, 53), 1);
  EXPECT_EQ(at(one.see(udp_facts(1, 2, 40000, 53), 3), source_flows), level(1));
  one.see(udp_facts(1, 2, 40000, 53), 3);
  EXPECT_EQ(at(one.see(udp_facts(1, 2, 40000, 53), 5), source_flows), level(1));
}

TEST(feature_row, shows_a_scan_of_ports) {
  pipeline one;
  for (std::uint16_t port = 1; port <= 1000; ++port) {
    auto facts = udp_facts(1, 2, 50000, port);
    one.see(facts, port / 100 + 1U);
  }
  auto const seen = one.see(udp_facts(1, 2, 50000, 1001), 20);
  EXPECT_GE(at(seen, source_ports), 120);
  EXPECT_GE(at(seen, destination_ports), 120);
  EXPECT_EQ(at(seen, source_peers), 2);
  EXPECT_EQ(at(seen, source_flows), level(1000));
}

// A scan of a port per second: the set of 1,024 ms has at most two of them.
TEST(feature_row, shows_a_scan_of_a_port_per_second) {
  pipeline one;
  for (std::uint16_t second = 0; second < 100; ++second)
    one.see(udp_facts(1, 2, 50000, 100 + second), 1 + second * 1000U);
  auto const seen = one.see(udp_facts(1, 2, 50000, 1), 100'000);
  EXPECT_LE(at(seen, source_ports), 2 * 2);
  EXPECT_GE(at(seen, source_slow_ports), 2 * 6);
  EXPECT_LE(at(seen, source_slow_ports), 2 * 20);
  EXPECT_EQ(at(seen, destination_slow_ports), at(seen, source_slow_ports));
  EXPECT_EQ(at(seen, source_slow_peers), 2);
  EXPECT_EQ(at(one.see(udp_facts(1, 2, 50000, 1), 100'000 + 33 * 1024), source_slow_ports), 0) << "all are forgotten";
}

}  // namespace
}  // namespace packetwarp::test::features
