// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Packets of alerts where several lanes judge a group, as on a GPU.
#include "function/inspection/record/alert_packets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <utility>
#include <vector>

#include "fixtures/packet_builder.h"
#include "inspection/connections.h"
#include "inspection/lanes.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {
namespace {

using inspection_parts::gathered_packet;
using inspection_parts::packet_slot;

constexpr std::size_t slots = 64;

[[nodiscard]] frame_bytes numbered(std::size_t size, unsigned number) {
  frame_bytes made(size);
  for (std::size_t n = 0; n < size; ++n) made[n] = static_cast<std::byte>(number * 31 + n * 7);
  return made;
}
// Puts the packet by one lane; the number that its alert would have.
[[nodiscard]] std::uint32_t put(alert_packets& of, frame_bytes const& frame) {
  auto const ring = of.ref(0);
  auto const first = ring.claim(frame.size());
  gathered_packet const packet{frame.data(), nullptr, static_cast<std::uint32_t>(frame.size()), 0};
  if (first != 0) inspection_parts::detail::copy_to_slots(lone_lane{1}, packet, ring, first - 1);
  return first;
}

TEST(alert_packets, gives_packets_of_all_sizes_around_the_end_of_the_ring) {
  alert_packets ring{1, slots * sizeof(packet_slot), table_place{}};
  frame_bytes seen;
  for (unsigned n = 0; n < 500; ++n) {
    auto const frame = numbered(14 + n * 37 % 9100, n);
    auto const first = put(ring, frame);
    ASSERT_NE(first, 0U) << n;
    ASSERT_TRUE(ring.take(0, first, seen));
    ASSERT_EQ(seen, frame);
  }
}

TEST(alert_packets, gives_packets_in_another_order_and_frees_their_slots) {
  alert_packets ring{2, slots * sizeof(packet_slot), table_place{}};
  frame_bytes seen;
  std::deque<std::pair<std::uint32_t, unsigned>> waiting;
  auto const take = [&](std::size_t n) {
    auto const [first, number] = waiting[n];
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_TRUE(ring.take(0, first, seen));
    EXPECT_EQ(seen, numbered(700, number));
  };
  for (unsigned n = 0; n < 300; ++n) {
    waiting.emplace_back(put(ring, numbered(700, n)), n);
    ASSERT_NE(waiting.back().first, 0U) << n;
    if (waiting.size() > 10) take(n % 3 == 0 ? 0 : waiting.size() - 2);
  }
  while (!waiting.empty()) take(waiting.size() / 2);
  EXPECT_EQ(ring.ref(1).cursors->written, 0U) << "the other pipeline's ring";
}

TEST(alert_packets, has_no_packet_by_a_number_that_names_none) {
  alert_packets ring{1, slots * sizeof(packet_slot), table_place{}};
  frame_bytes seen;
  for (std::uint32_t const first : {std::uint32_t{0}, std::uint32_t{5}, std::uint32_t{slots}, std::uint32_t{slots + 1}})
    EXPECT_FALSE(ring.take(0, first, seen)) << first;
}

TEST(alert_packets, takes_none_beyond_its_slots_and_goes_on_afterwards) {
  alert_packets ring{1, slots * sizeof(packet_slot), table_place{}};
  EXPECT_EQ(put(ring, numbered(slots * packet_slot::most + 1, 0)), 0U) << "larger than the ring";
  std::vector<std::uint32_t> kept;
  for (auto first = put(ring, numbered(1400, 0)); first != 0; first = put(ring, numbered(1400, 0)))
    kept.push_back(first);
  EXPECT_EQ(kept.size(), slots / 3);
  frame_bytes seen;
  for (auto const first : kept) EXPECT_TRUE(ring.take(0, first, seen));
  EXPECT_NE(put(ring, numbered(1400, 0)), 0U);
}

[[nodiscard]] frame_bytes packet_of_text(std::string const& text, std::uint16_t from) {
  auto const* raw = reinterpret_cast<std::byte const*>(text.data());
  return packet_builder{}.eth().ipv4().udp(from, 2).payload(bytes{raw, raw + text.size()}).build();
}
[[nodiscard]] inspection_sizes with_packets(std::size_t bytes) {
  auto sizes = judged_alone;
  sizes.packet_bytes = bytes;
  return sizes;
}
[[nodiscard]] stage_bed bed_of_lanes(std::string const& rules, inspection_sizes const& sizes) {
  return stage_bed{rules, sizes, 1, expressions::later};
}

constexpr char const* two_rules =
    "alert udp any any -> any any (content:\"secret\"; sid:1;)\n"
    "drop udp any any -> any any (content:\"word\"; sid:2;)\n"
    "alert udp any any -> any any (pcre:\"/(s).*\\1x/\"; content:\"secret\"; sid:3;)\n";

// Also of packets that are judged alone, because their texts have no room, and of two alerts by one packet.
TEST(packets_of_lanes, are_those_that_alert) {
  for (unsigned const lanes : {2U, 5U, 32U}) {
    std::vector<frame_bytes> frames;
    std::vector<std::pair<std::uint32_t, frame_bytes>> wanted;
    for (std::uint16_t n = 0; n < 96; ++n) {
      std::string text(n * 15U, '.');
      if (n % 3 == 0) text += "secret";
      if (n % 7 == 0) text += "word";
      frames.push_back(packet_of_text(text, n));
      if (n % 7 == 0) wanted.emplace_back(2, frames.back());
      if (n % 3 == 0) wanted.emplace_back(1, frames.back());
    }
    auto bed = bed_of_lanes(two_rules, with_packets(65'536));
    (void)judged_by_lanes(bed, frames, lanes);
    EXPECT_EQ(bed.packets(), wanted) << lanes;
    EXPECT_EQ(bed.counts().packets_not_kept, 0U);
  }
}

TEST(packets_of_lanes, have_both_pieces) {
  auto bed = bed_of_lanes(two_rules, with_packets(65'536));
  auto near = packet_of_text(std::string(600, '.') + "secret and more", 7);
  constexpr std::size_t cut = 64;
  frame_bytes far(near.begin() + cut, near.end());
  auto const whole = near;
  near.resize(cut);
  packet_view const view{near.data(), cut, static_cast<std::uint32_t>(whole.size()), far.data(),
                         static_cast<std::uint32_t>(far.size())};
  judge_views(bed, {view, view, view}, 4);
  bed.read();
  EXPECT_EQ(bed.packets(), (std::vector<std::pair<std::uint32_t, frame_bytes>>(3, {1, whole})));
}

// More alerts than a group holds back: the rest comes at once, without packets, and is counted.
TEST(packets_of_lanes, of_more_alerts_than_a_group_holds_are_counted) {
  std::string rules;
  for (unsigned n = 1; n <= 3; ++n) {
    rules += fmt::format("alert udp any any -> any any (content:\"secret\"; content:\"{}\"; sid:{};)\n", n, n);
  }
  auto bed = bed_of_lanes(rules, with_packets(1 << 20));
  std::vector<frame_bytes> frames(32, packet_of_text("secret 1 2 3", 1));
  (void)judged_by_lanes(bed, frames, 32);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 32}, {2, 32}, {3, 32}}));
  EXPECT_EQ(bed.packets().size(), inspection_parts::joined_room::most_held);
  EXPECT_EQ(bed.counts().packets_not_kept, 96 - inspection_parts::joined_room::most_held);
}

// A flood whose alerts the master does not read fills the ring: packets without room are counted. A stranger's packet
// alerts as before, and is kept again once there is room.
TEST(packets_of_lanes, beyond_the_ring_are_counted) {
  auto bed = bed_of_lanes(two_rules, with_packets(65'536));
  std::vector<frame_bytes> flood(200, packet_of_text(std::string(1000, '.') + "secret", 1));
  judge_unread(bed, flood, 32);
  std::vector<frame_bytes> stranger{packet_of_text("a word", 77)};
  judge_unread(bed, stranger, 32);
  constexpr std::size_t kept = 128 / 3;  // three slots each
  EXPECT_EQ(bed.counts().packets_not_kept, 200 - kept);
  bed.read();
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 200}, {2, 1}}));
  ASSERT_EQ(bed.packets().size(), kept + 1) << "two slots were left, and the stranger's packet needs one";
  EXPECT_EQ(bed.packets().back(), (std::pair<std::uint32_t, frame_bytes>{2, stranger[0]}));
  (void)judged_by_lanes(bed, flood, 4);
  EXPECT_EQ(bed.counts().packets_not_kept, 200 - kept) << "each group's packets are read before the next group's";
}

// Groups for which there is no room: their alerts come without packets.
TEST(packets_of_lanes, of_groups_without_a_room_are_counted) {
  auto bed = bed_of_lanes(two_rules, with_packets(65'536));
  auto const& joined = bed.tables().joined;
  for (std::uint32_t n = 0; n < joined.count; ++n) joined.rooms[n].is_taken = 1;
  std::vector<frame_bytes> frames(4, packet_of_text("secret", 1));
  (void)judged_by_lanes(bed, frames, 4);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 4}}));
  EXPECT_EQ(bed.packets().size(), 0U);
  EXPECT_EQ(bed.counts().packets_not_kept, 4U);
}

TEST(packets_of_lanes, are_not_copied_unless_wanted) {
  auto bed = bed_of_lanes(two_rules, with_packets(0));
  std::vector<frame_bytes> frames(4, packet_of_text("secret", 1));
  (void)judged_by_lanes(bed, frames, 4);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 4}}));
  EXPECT_EQ(bed.packets().size(), 0U);
  EXPECT_EQ(bed.counts().packets_not_kept, 0U);
}

}  // namespace
}  // namespace packetwarp::test
