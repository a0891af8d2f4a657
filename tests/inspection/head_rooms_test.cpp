// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "inspection/connections.h"

namespace packetwarp::test {
namespace {

constexpr char const* rules_of_heads =
    "alert http any any -> any any (http.uri; content:\"/cgi/evil\"; sid:1;)\n"
    "alert tcp-pkt any any -> any any (content:\"evil\"; sid:2;)\n";

// Up to where the group's rules are tried.
void begin_group_of(stage_bed& bed, frame_bytes& frame, inspection::room& room) {
  inspection::gather(stage_bed::view_of_frame(frame), 0, bed.hold(), room);
  inspection_parts::begin_group(lone_lane{1}, bed.tables(), bed.tables().root->sets[room.set], room);
}

[[nodiscard]] std::string payload_of(inspection::room const& room) {
  auto const& note = room.packets[0];
  return {reinterpret_cast<char const*>(note.first), note.first_size};
}

// Two pipelines, or two warps of a GPU, judge at once: rules of the first one still read the copy of its payload.
TEST(head_rooms, of_payloads_without_a_head_are_the_groups_as_long_as_it_is_judged) {
  stage_bed bed{rules_of_heads, judged_alone};
  connection const made{4000};
  auto handshake = made.handshake();
  (void)bed.judge(handshake, 32);
  auto first = made.segment(0, 0, "EHLO evil\r\n");
  auto second = made.segment(0, 11, "HELP good\r\n");
  auto const other = std::make_unique<inspection::room>();
  begin_group_of(bed, first, bed.room());
  begin_group_of(bed, second, *other);
  EXPECT_EQ(payload_of(bed.room()), "EHLO evil\r\n");
  EXPECT_EQ(payload_of(*other), "HELP good\r\n");
  EXPECT_EQ(inspection_parts::message_of(bed.tables(), bed.room(), 0), nullptr);
  for (auto* const room : {&bed.room(), other.get()}) {
    inspection_parts::give_back_heads(lone_lane{1}, bed.tables(), *room);
  }
  auto const rooms = bed.tables().heads;
  for (std::uint32_t n = 0; n < rooms.count; ++n) EXPECT_EQ(rooms.take(n), n) << "each room was given back";
}

TEST(head_rooms, that_are_all_taken_leave_heads_unread_which_are_counted_and_other_rules_go_on) {
  stage_bed bed{rules_of_heads, judged_alone};
  auto const rooms = bed.tables().heads;
  std::vector<std::uint32_t> taken;
  for (std::uint32_t n = 0; n < rooms.count; ++n) taken.push_back(rooms.take(n));
  connection const made{4000};
  auto frames = made.handshake();
  frames.push_back(made.segment(0, 0, "GET /cgi/evil HTTP/1.1\r\n\r\n"));
  (void)bed.judge(frames, 32);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{2, 1}}));
  EXPECT_EQ(bed.counts().heads_not_read, 1U);
  for (auto const n : taken) rooms.give_back(n);
  (void)bed.judge(frames, 32);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}, {2, 2}}));
  for (std::uint32_t n = 0; n < rooms.count; ++n) EXPECT_EQ(rooms.take(n), n) << "each room was given back";
}

}  // namespace
}  // namespace packetwarp::test
