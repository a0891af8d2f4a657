// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/nat44/outlook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "function/nat44/nat44_bed.h"

// Between the look ahead and a packet's turn anything may happen to the session that was seen.
namespace packetwarp::test::nat44_outlook_tests {
namespace {

bytes packet_of(std::string_view host, unsigned port) {
  return coming(inside, host, "192.0.2.9").udp(port, 53).payload(18).build();
}
bytes translated(unsigned port) {
  return leaving(outside, "203.0.113.1", "192.0.2.9").udp(port, 53).payload(18).build();
}

class nat44_outlook : public testing::Test {
 protected:
  // A packet's turn, with what was seen before of that packet or another.
  verdict process(bytes& packet, interface_index from, nat44::outlook const& seen) {
    return nat44::process(nat44_bed::view_of(packet), bed_.tables(from), seen);
  }
  void open(bytes packet) { EXPECT_EQ(bed_.process(packet, inside), forwarded(outside)); }

  nat44_bed bed_;
};

TEST_F(nat44_outlook, finds_the_session_from_both_sides) {
  EXPECT_EQ(bed_.look_ahead(packet_of("10.0.0.2", 4000), inside).record, 0u);
  open(packet_of("10.0.0.2", 4000));
  auto const seen = bed_.look_ahead(packet_of("10.0.0.2", 4000), inside).record;
  EXPECT_NE(seen, 0u);
  auto const reply = coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 4000).payload(18).build();
  EXPECT_EQ(bed_.look_ahead(reply, outside).record, seen);
}

TEST_F(nat44_outlook, sees_nothing_of_what_is_no_plain_header_or_too_short) {
  open(packet_of("10.0.0.2", 4000));
  auto other_type = packet_of("10.0.0.2", 4000);
  other_type[12] = std::byte{0x86};
  auto with_options = packet_of("10.0.0.2", 4000);
  with_options[14] = std::byte{0x46};
  auto cut = packet_of("10.0.0.2", 4000);
  cut.resize(41);
  for (auto const& packet : {other_type, with_options, cut, bytes(1)}) {
    EXPECT_EQ(bed_.look_ahead(packet, inside).record, 0u);
  }
}

TEST_F(nat44_outlook, of_a_session_that_has_ended_meanwhile_leads_to_a_new_one) {
  auto packet = packet_of("10.0.0.2", 4000);
  open(packet);
  auto const seen = bed_.look_ahead(packet, inside);
  bed_.nat().tick(301);
  bed_.nat().maintain();
  EXPECT_THAT(bed_.sessions(), testing::IsEmpty());
  EXPECT_EQ(process(packet, inside, seen), forwarded(outside));
  EXPECT_THAT(bed_.sessions(), testing::SizeIs(1));
}

TEST_F(nat44_outlook, of_another_session_is_not_followed) {
  open(packet_of("10.0.0.2", 4000));
  open(packet_of("10.0.0.2", 4001));
  auto const seen = bed_.look_ahead(packet_of("10.0.0.2", 4000), inside);
  auto packet = packet_of("10.0.0.2", 4001);
  EXPECT_EQ(process(packet, inside, seen), forwarded(outside));
  EXPECT_EQ(to_hex(packet), to_hex(translated(4001)));

  auto reply = coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 4001).payload(18).build();
  EXPECT_EQ(process(reply, outside, seen), forwarded(inside));
  EXPECT_EQ(to_hex(reply), to_hex(leaving(inside, "192.0.2.9", "10.0.0.2").udp(53, 4001).payload(18).build()));
}

TEST_F(nat44_outlook, keeps_the_session_alive_like_any_packet) {
  auto packet = packet_of("10.0.0.2", 4000);
  open(packet);
  bed_.nat().tick(299);
  auto const seen = bed_.look_ahead(packet, inside);
  EXPECT_NE(seen.record, 0u);
  EXPECT_EQ(process(packet, inside, seen), forwarded(outside));
  bed_.nat().tick(598);
  bed_.nat().maintain();
  EXPECT_THAT(bed_.sessions(), testing::SizeIs(1));
}

}  // namespace
}  // namespace packetwarp::test::nat44_outlook_tests
