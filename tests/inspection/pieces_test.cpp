// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "burst/near_header.h"
#include "inspection/random_packets.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {
namespace {

using inspection_parts::fate;

// A port splits a packet after 60 bytes, where a header, a payload or a content may just be.
TEST(inspection_pieces, a_split_packet_is_judged_as_a_whole_one) {
  stage_bed bed{
      "drop tcp-pkt any any -> any any (content:\"needle\"; offset:3; depth:20; sid:1;)\n"
      "drop udp any any -> any any (content:\"needle\"; offset:3; depth:20; sid:2;)\n"};
  auto const no_op = to_bytes({1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0});
  for (std::size_t before = 0; before < 24; ++before) {
    bytes payload(before, std::byte{'.'});
    for (char const c : std::string{"needle and the rest"}) payload.push_back(static_cast<std::byte>(c));
    for (auto const& builder :
         {packet_builder{}.eth().ipv4().tcp(1, 2), packet_builder{}.eth().ipv4().udp(1, 2),
          packet_builder{}.eth().ipv6().tcp(1, 2), packet_builder{}.eth().ipv4().tcp(1, 2, 0x18, no_op),
          packet_builder{}.eth().ipv6().hop_by_hop().udp(1, 2)}) {
      auto frame = packet_builder{builder}.payload(payload).build();
      auto const length = static_cast<std::uint32_t>(frame.size());
      std::vector<frame_bytes> alone{frame};
      auto const whole = bed.judge(alone, 1);
      frame_bytes head{frame.begin(), frame.begin() + split_header_bytes};
      frame_bytes rest{frame.begin() + split_header_bytes, frame.end()};
      auto const in_force = bed.hold();
      inspection::gather(
          {head.data(), split_header_bytes, length, rest.data(), static_cast<std::uint32_t>(rest.size())}, 0, in_force,
          bed.room());
      inspection::work(lone_lane{1}, in_force, bed.room());
      EXPECT_EQ(inspection::annotation_of(0, bed.room()), whole.front())
          << before << " bytes before, frame " << to_hex(frame);
      EXPECT_EQ(whole.front(), before >= 3 && before <= 17 ? fate::dropped : fate::goes_on);
    }
  }
  EXPECT_EQ(bed.counts().cut_short, 0U);
}

// A GPU has a copy of most packets' headers in its shared memory.
TEST(inspection_pieces, headers_are_read_in_a_nearer_copy_and_the_payload_where_it_lies) {
  stage_bed bed{
      "drop tcp-pkt any any -> any 2 (content:\"needle\"; offset:3; depth:20; sid:1;)\n"
      "drop udp any any -> any 2 (content:\"needle\"; offset:3; depth:20; sid:2;)\n",
      judged_alone};
  auto const no_op = to_bytes({1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0});  // the payload begins after the copy
  for (std::size_t before = 0; before < 24; ++before) {
    bytes payload(before, std::byte{'.'});
    for (char const c : std::string{"needle and the rest"}) payload.push_back(static_cast<std::byte>(c));
    for (auto const& builder :
         {packet_builder{}.eth().ipv4().tcp(1, 2), packet_builder{}.eth().ipv4().udp(1, 2),
          packet_builder{}.eth().ipv6().udp(1, 2), packet_builder{}.eth().ipv4().tcp(1, 2, 0x18, no_op)}) {
      auto frame = packet_builder{builder}.payload(payload).build();
      auto const length = static_cast<std::uint32_t>(frame.size());
      auto const headers_end = frame.size() - payload.size();
      auto copy = frame;
      copy.resize(near_bytes);
      std::fill(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(headers_end), std::byte{0xff});
      for (auto n = headers_end; n < copy.size(); ++n) copy[n] = n == headers_end ? payload.front() : std::byte{'n'};
      auto const in_force = bed.hold();
      inspection::gather({frame.data(), length, length, nullptr, 0, copy.data()}, 0, in_force, bed.room());
      EXPECT_EQ(bed.room().packets[0].first_byte, payload.front());
      inspection::work(lone_lane{1}, in_force, bed.room());
      EXPECT_EQ(inspection::annotation_of(0, bed.room()), before >= 3 && before <= 17 ? fate::dropped : fate::goes_on)
          << before << " bytes before, copy " << to_hex(copy);
    }
  }
}

TEST(inspection_pieces, what_lies_beyond_the_second_piece_is_counted) {
  stage_bed bed{"alert udp any any -> any any (content:\"xx\"; sid:1;)\n"};
  auto frame = packet_builder{}.eth().ipv4().udp(1, 2).payload(3000).build();
  frame_bytes rest(100);
  auto const in_force = bed.hold();
  inspection::gather({frame.data(), 1000, static_cast<std::uint32_t>(frame.size()), rest.data(), 100}, 0, in_force,
                     bed.room());
  inspection::work(lone_lane{1}, in_force, bed.room());
  EXPECT_EQ(bed.counts().cut_short, 1U);
}

}  // namespace
}  // namespace packetwarp::test
