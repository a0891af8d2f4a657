// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/replay_check.h"

#include <gtest/gtest.h>

#include "traffic/pcap_file.h"
#include "wire/ethernet.h"

namespace packetwarp::traffic {
namespace {

using test::packet_builder;

// Twenty packets of two flows in alternation; packet 18 is like packet 0.
class replay_check_test : public testing::Test {
 protected:
  static capture recorded() {
    test::pcap_file file;
    for (auto const& frame : frames()) file.packet(frame);
    return file.read();
  }
  static std::vector<test::bytes> frames() {
    std::vector<test::bytes> made;
    for (unsigned i = 0; i < 20; ++i) {
      made.push_back(packet_builder{}.eth().ipv4().udp(1 + i % 2, 9).payload(i == 18 ? 20 : 20 + i).build());
    }
    return made;
  }
  // A whole round in this order, or one that starts with `first`.
  void receive(std::vector<std::size_t> const& first = {}) {
    for (auto const i : first) check_.receive(frames_[i]);
    for (std::size_t i = first.size(); i < frames_.size(); ++i) check_.receive(frames_[i]);
  }

  std::vector<test::bytes> frames_{frames()};
  capture sent_{recorded()};
  replay_check check_{sent_, transform::same};
};

TEST_F(replay_check_test, finds_nothing_wrong_with_rounds_that_come_as_they_were_sent) {
  for (int round = 0; round < 10; ++round) receive();
  check_.receive(frames_[0]);
  check_.receive(frames_[1]);
  EXPECT_EQ(check_.counts().received, 202U);
  EXPECT_EQ(check_.counts().reordered, 0U);
  EXPECT_EQ(check_.counts().unknown, 0U);
  EXPECT_EQ(check_.after(202).lost, 0U);
  EXPECT_EQ(check_.after(202).duplicates, 0U);
  EXPECT_EQ(check_.after(204).lost, 2U);
}

TEST_F(replay_check_test, counts_lost_packets_and_duplicates_apart) {
  receive({0, 1, 1, 2, 4});
  EXPECT_EQ(check_.after(20).lost, 1U);
  EXPECT_EQ(check_.after(20).duplicates, 1U);
  EXPECT_EQ(check_.counts().reordered, 0U);
}

TEST_F(replay_check_test, lets_packets_that_are_alike_stand_for_each_other) {
  receive();
  EXPECT_EQ(check_.after(20).lost, 0U);
  check_.receive(frames_[18]);
  EXPECT_EQ(check_.after(20).duplicates, 1U);
  EXPECT_EQ(check_.after(21).duplicates, 0U) << "it may be packet 0 of the next round";
}

TEST_F(replay_check_test, judges_order_within_a_flow) {
  receive({0, 2, 1, 4, 3});
  receive({1, 0, 3, 2, 5, 4});
  EXPECT_EQ(check_.counts().reordered, 0U) << "flows may overtake each other";
  receive({0, 3, 2, 1});
  EXPECT_EQ(check_.counts().reordered, 1U);
  receive({0, 1, 6, 2, 3, 4, 5});
  EXPECT_EQ(check_.counts().reordered, 3U);
}

TEST_F(replay_check_test, does_not_take_a_loss_for_a_change_of_order) {
  receive();
  for (std::size_t const i : {0U, 1U, 2U, 9U, 10U, 11U, 18U, 19U}) check_.receive(frames_[i]);
  receive();
  EXPECT_EQ(check_.counts().reordered, 0U);
  EXPECT_EQ(check_.after(60).lost, 12U);
}

TEST_F(replay_check_test, does_not_know_a_packet_with_any_byte_changed) {
  for (std::size_t at = 0; at < frames_[1].size(); ++at) {
    test::bytes changed = frames_[1];
    changed[at] ^= std::byte{1};
    check_.receive(changed);
  }
  EXPECT_EQ(check_.counts().received, 0U);
  EXPECT_EQ(check_.counts().unknown, frames_[1].size());
  check_.receive(test::bytes{});
  EXPECT_EQ(check_.counts().unknown, frames_[1].size() + 1);
}

TEST_F(replay_check_test, does_not_count_what_neighbours_send_by_themselves) {
  check_.receive(test::packet_builder{}.eth().arp_request("10.0.0.1", "10.0.0.2").build());
  EXPECT_EQ(check_.counts(), verify_counts{});
}

TEST_F(replay_check_test, expects_swapped_addresses_when_told_so) {
  replay_check swapped{sent_, transform::mac_swapped};
  test::bytes frame = frames_[0];
  swapped.receive(frame);
  EXPECT_EQ(swapped.counts().unknown, 1U);
  wire::ethernet_view{frame.data()}.swap_addresses();
  swapped.receive(frame);
  EXPECT_EQ(swapped.counts().received, 1U);
}

TEST(replay_check, knows_a_short_frame_that_was_padded) {
  auto const arp = packet_builder{}.eth().arp_request("10.0.0.1", "10.0.0.2").build();
  ASSERT_EQ(arp.size(), 42U);
  capture const sent = test::pcap_file{}.packet(arp).read();
  replay_check check{sent, transform::same};
  auto padded = arp;
  padded.resize(60);
  EXPECT_TRUE(check.receive(arp)) << "wires of software pad nothing";
  EXPECT_TRUE(check.receive(padded));
  EXPECT_EQ(check.after(2).lost, 0U);
  EXPECT_EQ(check.counts().bytes, 102U);
  padded.back() = std::byte{1};
  EXPECT_FALSE(check.receive(padded)) << "padding is zeros";
  padded.back() = std::byte{0};
  padded.resize(61);
  EXPECT_FALSE(check.receive(padded)) << "and reaches to 60 bytes";
}

TEST(replay_check, follows_a_recording_of_real_stacks) {
  capture const sent = capture::read(PACKETWARP_CAPTURES "/mixed.pcap");
  replay_check check{sent, transform::same};
  for (int round = 0; round < 3; ++round) {
    for (auto const& packet : sent.packets()) check.receive(sent.bytes(packet));
  }
  auto const packets = 3 * sent.packets().size();
  EXPECT_EQ(check.counts(), (verify_counts{.received = packets, .bytes = 3 * sent.total_bytes()}));
  EXPECT_EQ(check.after(packets).lost, 0U);
  EXPECT_EQ(check.after(packets).duplicates, 0U);
}

}  // namespace
}  // namespace packetwarp::traffic
