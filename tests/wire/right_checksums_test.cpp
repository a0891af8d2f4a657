// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "wire/right_checksums.h"

#include <gtest/gtest.h>

#include "fixtures/packet_builder.h"

namespace packetwarp::wire {
namespace {

[[nodiscard]] bool are_right(test::bytes const& frame) {
  return has_right_checksums(frame, {}, static_cast<std::uint32_t>(frame.size()));
}

// Segments of odd and even sizes, by IPv4 with and without options, by IPv6, and with padding.
[[nodiscard]] std::vector<test::bytes> segments() {
  std::vector<test::bytes> made;
  for (std::size_t const size : {0U, 1U, 2U, 7U, 60U, 301U}) {
    made.push_back(test::packet_builder{}.eth().ipv4().tcp(1, 2).payload(size).build());
    made.push_back(test::packet_builder{}.eth().vlan(5).ipv4().tcp(1, 2).payload(size).pad_to(64).build());
    made.push_back(
        test::packet_builder{}.eth().ipv4().options(test::to_bytes({1, 1, 1, 0})).tcp(1, 2).payload(size).build());
    made.push_back(test::packet_builder{}.eth().ipv6().hop_by_hop().tcp(1, 2).payload(size).build());
  }
  return made;
}

TEST(right_checksums, are_those_of_segments_as_they_are_sent) {
  for (auto const& frame : segments()) EXPECT_TRUE(are_right(frame)) << test::to_hex(frame);
}

TEST(right_checksums, are_wrong_after_a_change_of_any_byte_that_they_cover) {
  for (auto const& frame : segments()) {
    auto const found = parse(frame.data(), frame.size());
    for (std::size_t at = found.l4_offset; at < found.end; ++at) {
      auto changed = frame;
      changed[at] ^= std::byte{0x10};
      // Another size of TCP's header is no sound segment.
      if (parse(changed.data(), changed.size()).error != parse_error::none) continue;
      EXPECT_FALSE(are_right(changed)) << at;
    }
    auto changed = frame;
    changed[found.l3_offset + (found.l3 == l3_kind::ipv4 ? 15U : 20U)] ^= std::byte{1};
    EXPECT_FALSE(are_right(changed)) << "of an address";
  }
}

TEST(right_checksums, are_the_same_in_two_pieces) {
  for (auto const& frame : segments()) {
    auto const found = parse(frame.data(), frame.size());
    auto changed = frame;
    changed[found.end - 1U] ^= std::byte{1};
    for (std::size_t at = found.payload_offset; at < frame.size(); ++at) {
      auto const length = static_cast<std::uint32_t>(frame.size());
      std::span const all{frame};
      EXPECT_TRUE(has_right_checksums(all.first(at), all.subspan(at), length)) << at;
      std::span const wrong{changed};
      EXPECT_FALSE(has_right_checksums(wrong.first(at), wrong.subspan(at), length)) << at;
    }
  }
}

TEST(right_checksums, are_not_known_of_a_frame_without_all_its_bytes) {
  auto frame = test::packet_builder{}.eth().ipv4().tcp(1, 2).payload(60).build();
  frame.back() ^= std::byte{1};
  auto const length = static_cast<std::uint32_t>(frame.size());
  EXPECT_FALSE(has_right_checksums(frame, {}, length));
  EXPECT_TRUE(has_right_checksums(std::span{frame}.first(frame.size() - 1), {}, length));
}

TEST(right_checksums, are_of_ipv4_headers_whatever_they_carry) {
  auto frame = test::packet_builder{}.eth().ipv4().udp(1, 2).payload(60).build();
  frame.back() ^= std::byte{1};
  EXPECT_TRUE(are_right(frame)) << "UDP is not looked at";
  frame[14 + 8] ^= std::byte{1};
  EXPECT_FALSE(are_right(frame));
  EXPECT_TRUE(are_right(test::packet_builder{}.eth().arp_request("10.0.0.1", "10.0.0.2").build()));
  EXPECT_TRUE(are_right(test::bytes(10)));
}

}  // namespace
}  // namespace packetwarp::wire
