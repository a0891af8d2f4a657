// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "function/nat44/nat44_bed.h"
#include "function/nat44/packet/untranslated.h"
#include "function/nat44/session_checks.h"

// Packets that `forwarding` lets in from outside unchanged, and the fate of their answers.
namespace packetwarp::test::nat44_forwarding_tests {
namespace {

constexpr unsigned syn = 0x02, syn_ack = 0x12, ack = 0x10, fin_ack = 0x11;
constexpr auto server = "192.0.2.9", host = "10.0.0.2", pool = "203.0.113.1";

nat44_config forwarding() {
  auto config = small_nat();
  config.unmatched = nat::unmatched::forward;
  return config;
}

struct nat44_forwarding : testing::Test {
  // A packet from outside to inside, or back, unchanged.
  void comes(packet_builder in, packet_builder out) {
    expect_translation(bed, outside, in.build(), inside, out.build());
  }
  void goes(packet_builder in, packet_builder out) {
    expect_translation(bed, inside, in.build(), outside, out.build());
  }
  static packet_builder from_server() { return coming(outside, server, host); }
  static packet_builder to_host() { return leaving(inside, server, host); }
  static packet_builder from_host() { return coming(inside, host, server); }
  static packet_builder to_server(std::string_view as = host) { return leaving(outside, as, server); }

  nat44_bed bed{forwarding()};
};

TEST_F(nat44_forwarding, answers_leave_as_they_are) {
  comes(from_server().udp(53, 4000), to_host().udp(53, 4000));
  goes(from_host().udp(4000, 53), to_server().udp(4000, 53));
  comes(from_server().tcp(53, 4000, syn), to_host().tcp(53, 4000, syn));
  goes(from_host().tcp(4000, 53, syn_ack), to_server().tcp(4000, 53, syn_ack));
  comes(from_server().icmp_echo(9, 1), to_host().icmp_echo(9, 1));
  goes(from_host().icmp_echo(9, 1), to_server().icmp_echo(9, 1));
  comes(from_server().protocol(47).payload(20), to_host().protocol(47).payload(20));
  goes(from_host().protocol(47).payload(20), to_server().protocol(47).payload(20));
  EXPECT_TRUE(bed.sessions().empty());
}

TEST_F(nat44_forwarding, what_is_no_answer_is_translated) {
  comes(from_server().udp(53, 4000), to_host().udp(53, 4000));
  goes(from_host().udp(4000, 54), to_server(pool).udp(4000, 54));
  goes(from_host().udp(4001, 53), to_server(pool).udp(4001, 53));
  goes(coming(inside, host, "192.0.2.8").udp(4000, 53), leaving(outside, pool, "192.0.2.8").udp(4000, 53));
}

// A route for the pool would send them back to the sender, until their time to live is over.
TEST_F(nat44_forwarding, packets_to_a_pool_address_are_not_routed) {
  expect_refusal(bed, outside, coming(outside, server, pool).udp(53, 4000).build(), "no_session");
  expect_refusal(bed, outside, coming(outside, server, pool).tcp(53, 4000, syn).build(), "no_session");
  expect_refusal(bed, outside, coming(outside, server, pool).protocol(47).payload(20).build(), "protocol");
  expect_refusal(bed, inside, coming(inside, host, pool).udp(53, 4000).build(), "no_session");
}

TEST_F(nat44_forwarding, errors_about_it_leave_as_they_are_and_come_in_as_they_are) {
  comes(from_server().udp(53, 4000).payload(20), to_host().udp(53, 4000).payload(20));
  auto const received = packet_builder{}.eth().ipv4(server, host).udp(53, 4000).payload(20).build();
  auto const error = error_message(3, 3, received, 28);
  goes(from_host().protocol(1).payload(error), to_server().protocol(1).payload(error));
  auto const sent = packet_builder{}.eth().ipv4(host, server).udp(4000, 53).payload(20).build();
  auto const back = error_message(3, 1, sent, 28);
  comes(coming(outside, "192.0.2.77", host).protocol(1).payload(back),
        leaving(inside, "192.0.2.77", host).protocol(1).payload(back));
}

TEST_F(nat44_forwarding, a_port_forward_of_the_same_endpoint_stays_one) {
  auto config = forwarding();
  config.port_forwards = {{nat::transport::tcp, at(host, 8080), at(pool, 80)}};
  nat44_bed with{config};
  expect_translation(with, outside, coming(outside, server, pool).tcp(12345, 80, syn).build(), inside,
                     to_host().tcp(12345, 8080, syn).build());
  expect_translation(with, outside, from_server().tcp(12346, 8080, syn).build(), inside,
                     to_host().tcp(12346, 8080, syn).build());
  expect_translation(with, inside, from_host().tcp(8080, 12345, syn_ack).build(), outside,
                     to_server(pool).tcp(80, 12345, syn_ack).build());
  expect_translation(with, inside, from_host().tcp(8080, 12346, syn_ack).build(), outside,
                     to_server().tcp(8080, 12346, syn_ack).build());
}

TEST_F(nat44_forwarding, without_a_pool_answers_leave_too) {
  auto config = forwarding();
  config.pool.clear();
  nat44_bed with{config};
  expect_translation(with, outside, from_server().udp(53, 4000).build(), inside, to_host().udp(53, 4000).build());
  expect_translation(with, inside, from_host().udp(4000, 53).build(), outside, to_server().udp(4000, 53).build());
  expect_refusal(with, inside, from_host().udp(4001, 53).build(), "no_port");
}

TEST_F(nat44_forwarding, no_forged_packet_ends_the_translation_of_a_tcp_connection) {
  goes(from_host().tcp(4000, 80, syn), to_server(pool).tcp(4000, 80, syn));
  comes(from_server().tcp(80, 4000, syn), to_host().tcp(80, 4000, syn));
  goes(from_host().tcp(4000, 80, ack), to_server(pool).tcp(4000, 80, ack));
}

TEST_F(nat44_forwarding, where_a_filter_knows_who_was_sent_to_none_ends_that_of_udp_either) {
  auto config = forwarding();
  config.filtering = nat::filtering::address_and_port_dependent;
  nat44_bed with{config};
  expect_translation(with, inside, from_host().udp(4000, 53).build(), outside, to_server(pool).udp(4000, 53).build());
  expect_translation(with, outside, from_server().udp(53, 4000).build(), inside, to_host().udp(53, 4000).build());
  expect_translation(with, outside, from_server().udp(54, 4000).build(), inside, to_host().udp(54, 4000).build());
  expect_translation(with, inside, from_host().udp(4000, 53).build(), outside, to_server(pool).udp(4000, 53).build());
  expect_translation(with, inside, from_host().udp(4000, 54).build(), outside, to_server().udp(4000, 54).build());
}

// Whether an answer still leaves unchanged after this many seconds without a packet.
bool is_answered_after(nat44_bed& bed, std::uint32_t& now, std::uint32_t seconds, bytes packet) {
  now += seconds;
  bed.nat().tick(now);
  bed.nat().maintain();
  auto const before = packet;
  EXPECT_EQ(bed.process(packet, inside), forwarded(outside));
  return to_hex(std::span{packet}.subspan(26, 4)) == to_hex(std::span{before}.subspan(26, 4));
}

TEST_F(nat44_forwarding, it_ends_by_its_time_out) {
  std::uint32_t now = 0;
  auto const answer = from_host().udp(4000, 53).build();
  comes(from_server().udp(53, 4000), to_host().udp(53, 4000));
  EXPECT_TRUE(is_answered_after(bed, now, 30, answer));
  EXPECT_TRUE(is_answered_after(bed, now, 300, answer)) << "answers keep it";
  EXPECT_FALSE(is_answered_after(bed, now, 301, answer));
  comes(from_server().udp(60, 4001), to_host().udp(60, 4001));
  EXPECT_FALSE(is_answered_after(bed, now, 31, from_host().udp(4001, 60).build())) << "without an answer";
}

TEST_F(nat44_forwarding, of_tcp_only_the_inside_closes_it) {
  std::uint32_t now = 0;
  auto const data = from_host().tcp(22, 5000, ack).build();
  comes(from_server().tcp(5000, 22, syn), to_host().tcp(5000, 22, syn));
  goes(from_host().tcp(22, 5000, syn_ack), to_server().tcp(22, 5000, syn_ack));
  comes(from_server().tcp(5000, 22, ack), to_host().tcp(5000, 22, ack));
  comes(from_server().tcp(5000, 22, 0x04), to_host().tcp(5000, 22, 0x04));
  EXPECT_TRUE(is_answered_after(bed, now, 7000, data)) << "anybody can forge a RST";
  goes(from_host().tcp(22, 5000, fin_ack), to_server().tcp(22, 5000, fin_ack));
  EXPECT_FALSE(is_answered_after(bed, now, 241, data));
}

// The sources of a flood are forged, and hear no answers. A flow with an answer goes on.
TEST_F(nat44_forwarding, a_flood_from_anywhere_leaves_flows_that_go_on) {
  comes(from_server().udp(53, 4000), to_host().udp(53, 4000));
  goes(from_host().udp(4000, 53), to_server().udp(4000, 53));
  comes(from_server().udp(53, 4000), to_host().udp(53, 4000));
  unsigned routed = 0;
  for (unsigned n = 0; n < 20'000; ++n) {
    auto const from = "192." + std::to_string(1 + n / 250) + ".7." + std::to_string(1 + n % 250);
    auto packet = coming(outside, from, "10.0.0.3").udp(1000, 4000).build();
    routed += routed_nat44::process(nat44_bed::view_of(packet), bed.tables(outside)) == forwarded(inside);
  }
  EXPECT_GE(routed, 19'900u);
  goes(from_host().udp(4000, 53), to_server().udp(4000, 53));
  check_tables(bed.nat().cpu(), bed.nat().cpu().bucket_mask + 1);
}

TEST_F(nat44_forwarding, where_all_go_on_a_new_one_is_dropped_by_name) {
  auto config = forwarding();
  config.remotes = 8;
  nat44_bed with{config};
  for (unsigned n = 0; n < 8; ++n) {
    for (auto const& [packet, by] : {std::pair{from_server().udp(53, 4000 + n).build(), outside},
                                     std::pair{from_host().udp(4000 + n, 53).build(), inside},
                                     std::pair{from_server().udp(53, 4000 + n).build(), outside}}) {
      auto once = packet;
      ASSERT_EQ(with.process(once, by).what(), verdict::action::forward);
    }
  }
  expect_refusal(with, outside, from_server().udp(53, 5000).build(), "remotes_full");
}

}  // namespace
}  // namespace packetwarp::test::nat44_forwarding_tests
