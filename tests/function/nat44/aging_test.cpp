// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "function/nat44/nat44_bed.h"

namespace packetwarp::test::nat44_aging_tests {
namespace {

class nat44_aging : public testing::Test {
 protected:
  void at_second(std::uint32_t now) {
    bed_.nat().tick(now);
    bed_.nat().maintain();
  }
  void out_tcp(unsigned flags) {
    auto packet = coming(inside, "10.0.0.2", "192.0.2.9").tcp(4000, 80, flags).build();
    ASSERT_EQ(bed_.process(packet, inside), forwarded(outside));
  }
  void in_tcp(unsigned flags) {
    auto packet = coming(outside, "192.0.2.9", "203.0.113.1").tcp(80, 4000, flags).build();
    ASSERT_EQ(bed_.process(packet, outside), forwarded(inside));
  }
  void out_udp() {
    auto packet = coming(inside, "10.0.0.2", "192.0.2.9").udp(4000, 53).build();
    ASSERT_EQ(bed_.process(packet, inside), forwarded(outside));
  }
  std::string_view in_udp() {
    auto packet = coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 4000).build();
    return name_of(bed_.process(packet, outside));
  }
  [[nodiscard]] std::size_t live() { return bed_.sessions().size(); }
  nat44_bed bed_;
  static constexpr unsigned syn = 0x02, syn_ack = 0x12, ack = 0x10, fin_ack = 0x11, rst = 0x04;
};

TEST_F(nat44_aging, udp_lasts_five_minutes_from_the_last_packet_out) {
  out_udp();
  at_second(300);
  EXPECT_EQ(live(), 1u);
  out_udp();
  at_second(600);
  EXPECT_EQ(live(), 1u);
  EXPECT_EQ(in_udp(), "forward") << "does not keep it alive";
  at_second(601);
  EXPECT_EQ(live(), 0u);
  EXPECT_EQ(in_udp(), "no_session");
}

TEST_F(nat44_aging, a_session_whose_time_is_over_but_was_not_swept_goes_on_when_it_is_used) {
  out_udp();
  bed_.nat().tick(1000);
  out_udp();
  bed_.nat().maintain();
  EXPECT_EQ(live(), 1u);
}

TEST_F(nat44_aging, tcp_that_opens_lasts_four_minutes) {
  out_tcp(syn);
  at_second(240);
  EXPECT_EQ(live(), 1u);
  at_second(241);
  EXPECT_EQ(live(), 0u);
}

TEST_F(nat44_aging, tcp_that_is_established_lasts_two_hours_and_four_minutes) {
  out_tcp(syn);
  in_tcp(syn_ack);
  out_tcp(ack);
  at_second(7440);
  EXPECT_EQ(live(), 1u);
  in_tcp(ack);
  at_second(7440 + 7440);
  EXPECT_EQ(live(), 1u);
  at_second(7440 + 7441);
  EXPECT_EQ(live(), 0u);
}

TEST_F(nat44_aging, tcp_half_closed_stays_and_closed_lasts_four_minutes) {
  out_tcp(syn);
  in_tcp(syn_ack);
  out_tcp(fin_ack);
  at_second(1000);
  ASSERT_EQ(live(), 1u);
  in_tcp(fin_ack);
  at_second(1240);
  EXPECT_EQ(live(), 1u);
  at_second(1241);
  EXPECT_EQ(live(), 0u);
}

TEST_F(nat44_aging, tcp_that_is_reset_lasts_four_minutes_unless_it_opens_again) {
  out_tcp(syn);
  in_tcp(syn_ack);
  in_tcp(rst);
  at_second(100);
  out_tcp(syn);
  in_tcp(syn_ack);
  at_second(1000);
  ASSERT_EQ(live(), 1u);
  out_tcp(rst);
  at_second(1241);
  EXPECT_EQ(live(), 0u);
}

TEST_F(nat44_aging, icmp_lasts_a_minute) {
  auto packet = coming(inside, "10.0.0.2", "192.0.2.9").icmp_echo(4000, 1).build();
  ASSERT_EQ(bed_.process(packet, inside), forwarded(outside));
  at_second(60);
  EXPECT_EQ(live(), 1u);
  at_second(61);
  EXPECT_EQ(live(), 0u);
}

TEST_F(nat44_aging, a_port_is_given_again_only_seconds_after_its_session_has_ended) {
  out_udp();
  at_second(301);
  auto const other = [&] {
    auto packet = coming(inside, "10.0.0.3", "192.0.2.9").udp(4000, 53).build();
    EXPECT_EQ(bed_.process(packet, inside), forwarded(outside));
    return static_cast<unsigned>(packet[34]) << 8 | static_cast<unsigned>(packet[35]);
  };
  EXPECT_NE(other(), 4000u);
  at_second(303);
  auto again = coming(inside, "10.0.0.4", "192.0.2.9").udp(4000, 53).build();
  ASSERT_EQ(bed_.process(again, inside), forwarded(outside));
  EXPECT_EQ(static_cast<unsigned>(again[34]) << 8 | static_cast<unsigned>(again[35]), 4000u);
}

TEST_F(nat44_aging, its_own_host_gets_a_new_session_at_once) {
  out_udp();
  at_second(301);
  ASSERT_EQ(live(), 0u);
  out_udp();
  EXPECT_EQ(live(), 1u);
  EXPECT_NE(bed_.sessions().front(), "udp 10.0.0.2:4000 203.0.113.1:4000") << "that port still belongs to the old one";
}

TEST_F(nat44_aging, sweeps_of_any_size_come_to_every_record) {
  for (unsigned port = 2000; port < 2100; ++port) {
    auto packet = coming(inside, "10.0.0.2", "192.0.2.9").udp(port, 53).build();
    ASSERT_EQ(bed_.process(packet, inside), forwarded(outside));
  }
  bed_.nat().tick(301);
  for (unsigned i = 0; i < 1001 / 7 + 1; ++i) bed_.nat().maintain(7);
  EXPECT_EQ(live(), 0u);
  EXPECT_EQ(bed_.nat().counts().made, 100u);
  EXPECT_EQ(bed_.nat().counts().ended, 100u);
}

}  // namespace
}  // namespace packetwarp::test::nat44_aging_tests
