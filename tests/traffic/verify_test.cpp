// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/packet_builder.h"
#include "traffic/usage_text.h"
#include "wire/ethernet.h"

namespace packetwarp::traffic {
namespace {

using testing::ElementsAre;

stream_config config_of(std::string_view flows) {
  stream_config config;
  config.flows = parse_pattern(flows);
  config.sizes = size_mix::parse("64,200");
  return config;
}

// A stream, a verifier of it, and the test between them. Packet i is sent at tick 1000 + i.
class verifier_test : public testing::Test {
 protected:
  test::bytes packet(std::uint64_t index) const { return packet_of(sent_, index); }
  static test::bytes packet_of(stream const& sent, std::uint64_t index) {
    test::bytes made(sent.length(index));
    sent.write(index, 1000 + index, made.data());
    return made;
  }
  void receive(test::bytes const& frame, std::uint64_t now = 5000) {
    verifier_.receive(frame, now, [this](std::uint64_t ticks) { latencies_.push_back(ticks); });
  }
  void receive(std::uint64_t index, std::uint64_t now = 5000) { receive(packet(index), now); }
  verify_counts const& counts() const { return verifier_.counts(); }

  stream sent_{config_of("udp.sport=1..4")};
  verifier verifier_{sent_, transform::same, content_check::every_byte, 1024};
  std::vector<std::uint64_t> latencies_;
};

TEST_F(verifier_test, finds_nothing_wrong_with_what_comes_as_it_was_sent) {
  for (std::uint64_t i = 0; i < 10'000; ++i) receive(i);
  EXPECT_EQ(counts(), (verify_counts{.received = 10'000, .bytes = 5000 * (60 + 196)}));
  EXPECT_EQ(counts().lost(10'000), 0U);
}

TEST_F(verifier_test, counts_what_never_came_as_lost) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    if (i != 0 && i != 42 && i != 99) receive(i);
  }
  EXPECT_EQ(counts().lost(100), 3U);
  EXPECT_EQ(counts().reordered, 0U);
}

TEST_F(verifier_test, counts_duplicates_and_does_not_let_them_stand_in_for_lost_packets) {
  for (std::uint64_t i = 0; i < 100; ++i) receive(i == 42 ? 41 : i);
  EXPECT_EQ(counts().received, 100U);
  EXPECT_EQ(counts().duplicates, 1U);
  EXPECT_EQ(counts().reordered, 0U);
  EXPECT_EQ(counts().lost(100), 1U);
}

TEST_F(verifier_test, counts_packets_behind_a_later_one_of_their_flow_as_reordered) {
  for (std::uint64_t const i : {0U, 8U, 4U, 12U}) receive(i);
  EXPECT_EQ(counts().reordered, 1U);
  EXPECT_EQ(counts().lost(4), 0U);
}

TEST_F(verifier_test, lets_flows_overtake_each_other) {
  for (std::uint64_t const i : {3U, 2U, 1U, 0U, 7U, 6U, 5U, 4U}) receive(i);
  EXPECT_EQ(counts().reordered, 0U);
}

TEST_F(verifier_test, sees_any_changed_byte) {
  test::bytes const intact = packet(6);
  std::uint64_t changed = 0;
  for (std::size_t at = 0; at < intact.size(); ++at) {
    test::bytes frame = intact;
    frame[at] ^= std::byte{0x10};
    receive(frame);
    ++changed;
  }
  EXPECT_EQ(counts().corrupted + counts().unknown, changed);
  EXPECT_EQ(counts().unknown, signature_length);
  EXPECT_EQ(counts().received, changed - signature_length);
}

TEST_F(verifier_test, sees_a_changed_length) {
  test::bytes frame = packet(0);
  frame.insert(frame.begin() + 20, std::byte{0});
  receive(frame);
  EXPECT_EQ(counts().corrupted, 1U);
  receive(test::bytes(3));
  receive(test::bytes{});
  EXPECT_EQ(counts().unknown, 2U);
}

TEST_F(verifier_test, does_not_count_what_neighbours_send_by_themselves) {
  receive(test::packet_builder{}.eth().arp_request("10.0.0.1", "10.0.0.2").build());
  for (std::uint8_t const type : std::initializer_list<std::uint8_t>{133, 134, 135, 136, 137}) {
    receive(test::packet_builder{}.eth().ipv6().protocol(58).payload(test::bytes(24, std::byte{type})).build());
  }
  EXPECT_EQ(counts(), verify_counts{});
  receive(test::packet_builder{}.eth().ipv6().protocol(58).payload(test::bytes(24, std::byte{128})).build());
  EXPECT_EQ(counts(), (verify_counts{.unknown = 1}));
}

TEST_F(verifier_test, takes_strangers_for_strangers) {
  auto other = config_of("udp.sport=1..4");
  other.number = 1;
  receive(packet_of(stream{other}, 0));
  other = config_of("udp.sport=1..4");
  other.key = {2};
  receive(packet_of(stream{other}, 0));
  EXPECT_EQ(counts(), (verify_counts{.unknown = 2}));
  EXPECT_EQ(counts().lost(1), 1U);
}

TEST_F(verifier_test, expects_swapped_addresses_when_told_so) {
  verifier swapped{sent_, transform::mac_swapped, content_check::every_byte};
  auto const ignore = [](std::uint64_t) {};
  test::bytes frame = packet(0);
  swapped.receive(frame, 5000, ignore);
  EXPECT_EQ(swapped.counts().corrupted, 1U);
  frame = packet(1);
  wire::ethernet_view{frame.data()}.swap_addresses();
  swapped.receive(frame, 5000, ignore);
  EXPECT_EQ(swapped.counts().corrupted, 1U);
  EXPECT_EQ(swapped.counts().received, 2U);
}

TEST_F(verifier_test, looks_at_the_signature_only_when_told_so) {
  verifier quick{sent_, transform::same, content_check::signature};
  test::bytes frame = packet(0);
  frame[20] ^= std::byte{1};
  quick.receive(frame, 5000, [](std::uint64_t) {});
  EXPECT_EQ(quick.counts().corrupted, 0U);
  EXPECT_EQ(quick.counts().received, 1U);
}

TEST_F(verifier_test, gives_the_latency_of_every_packet_once) {
  receive(0, 1010);
  receive(1, 1031);
  receive(1, 1099);
  EXPECT_THAT(latencies_, ElementsAre(10, 30));
}

TEST_F(verifier_test, counts_what_comes_too_late_to_tell) {
  receive(5000);
  receive(1);
  EXPECT_EQ(counts().late, 1U);
  EXPECT_EQ(counts().received, 2U);
  EXPECT_EQ(latencies_.size(), 1U);
}

TEST_F(verifier_test, adds_up) {
  verify_counts sum{1, 2, 3, 4, 5, 6, 7};
  sum += {10, 20, 30, 40, 50, 60, 70};
  EXPECT_EQ(sum, (verify_counts{11, 22, 33, 44, 55, 66, 77}));
}

TEST(verifier, needs_signatures) {
  stream_config config;
  config.signatures = signing::off;
  stream const unsigned_stream{config};
  EXPECT_THAT(test::usage_text([&] {
                verifier{unsigned_stream, transform::same, content_check::signature};
              }),
              testing::HasSubstr("only counted"));
}

}  // namespace
}  // namespace packetwarp::traffic
