// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/inspection/record/packet_ring.h"

#include <gtest/gtest.h>

#include <thread>

#include "fixtures/packet_builder.h"
#include "inspection/connections.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {
namespace {

[[nodiscard]] frame_bytes frame_of(std::size_t size, unsigned number) {
  frame_bytes made(size);
  for (std::size_t n = 0; n < size; ++n) made[n] = static_cast<std::byte>(number + n);
  return made;
}

TEST(packet_ring, gives_the_packet_of_each_alert_or_none) {
  packet_ring ring{4096};
  frame_bytes seen;
  for (std::uint64_t ticket : {1U, 2U, 5U}) {
    auto frame = frame_of(100, static_cast<unsigned>(ticket));
    EXPECT_TRUE(ring.put(ticket, stage_bed::view_of_frame(frame)));
  }
  EXPECT_TRUE(ring.take(2, seen)) << "the first one's alert was lost";
  EXPECT_EQ(seen, frame_of(100, 2));
  EXPECT_FALSE(ring.take(3, seen));
  EXPECT_FALSE(ring.take(4, seen));
  EXPECT_TRUE(ring.take(5, seen));
  EXPECT_EQ(seen, frame_of(100, 5));
  EXPECT_FALSE(ring.take(6, seen));
}

TEST(packet_ring, has_both_pieces_of_a_packet) {
  packet_ring ring{4096};
  auto first = frame_of(64, 1);
  auto second = frame_of(1000, 65);
  EXPECT_TRUE(ring.put(1, {first.data(), 64, 1064, second.data(), 1000}));
  frame_bytes seen;
  EXPECT_TRUE(ring.take(1, seen));
  EXPECT_EQ(seen, frame_of(1064, 1));
}

TEST(packet_ring, takes_no_packet_beyond_its_memory_and_goes_on_afterwards) {
  packet_ring ring{4096};
  auto frame = frame_of(1000, 7);
  std::uint64_t kept = 0;
  while (ring.put(kept + 1, stage_bed::view_of_frame(frame))) ++kept;
  EXPECT_EQ(kept, 4U);
  frame_bytes seen;
  for (std::uint64_t round = 1; round < 100; ++round) {
    EXPECT_TRUE(ring.take(round, seen));
    EXPECT_EQ(seen, frame);
    EXPECT_TRUE(ring.put(round + kept, stage_bed::view_of_frame(frame))) << "around the end of its memory";
  }
}

TEST(packet_ring, one_thread_puts_while_another_takes) {
  constexpr std::uint64_t packets = 20'000;
  packet_ring ring{8192};
  std::uint64_t put = 0;
  std::thread pipeline{[&] {
    for (std::uint64_t n = 1; n <= packets; ++n) {
      auto frame = frame_of(1 + n % 700, static_cast<unsigned>(n));
      put += ring.put(n, stage_bed::view_of_frame(frame)) ? 1U : 0U;
    }
  }};
  std::uint64_t taken = 0;
  frame_bytes seen;
  auto const take = [&](std::uint64_t n) {
    if (!ring.take(n, seen)) return;
    ++taken;
    EXPECT_EQ(seen, frame_of(1 + n % 700, static_cast<unsigned>(n)));
  };
  // A packet that comes after its ticket was asked for is left out later.
  for (std::uint64_t n = 1; n <= packets; ++n) take(n);
  pipeline.join();
  EXPECT_LE(taken, put);
  EXPECT_FALSE(ring.take(packets + 1, seen));
}

// The packets of alerts, by the alerts' sids: whole, also for a datagram in fragments, and in the order of the alerts.
TEST(packet_ring, has_the_packets_that_alert) {
  inspection_sizes sizes{.flows = 64, .rates = 64};
  sizes.packet_bytes = 65'536;
  for (std::size_t const streams : {std::size_t{64}, std::size_t{0}}) {
    sizes.streams.streams = streams;
    stage_bed bed{
        "alert tcp-pkt any any -> any any (content:\"secret\"; sid:1;)\n"
        "alert tcp-pkt any any -> any any (content:\"word\"; sid:2;)\n"
        "drop tcp-pkt any any -> any any (content:\"evil\"; sid:3;)\n",
        sizes};
    connection const made{4000};
    auto frames = made.handshake();
    frames.push_back(made.segment(0, 0, "a secret word"));
    frames.push_back(made.segment(0, 13, "nothing"));
    frames.push_back(made.segment(0, 20, "evil"));
    inspection::room& room = bed.room();
    std::vector<inspection_parts::fate> fates;
    bed.judge_group(frames, 0, room, fates);
    std::vector<std::pair<std::uint32_t, frame_bytes>> seen;
    (void)bed.table().journal().read(0, 100, [&](inspection_parts::alert const& alert) {
      frame_bytes bytes;
      EXPECT_TRUE(bed.table().take_packet(0, alert, bytes));
      seen.emplace_back(bed.rules().rules[alert.rule].sid, bytes);
    });
    std::vector<std::pair<std::uint32_t, frame_bytes>> const wanted{{1, frames[3]}, {2, frames[3]}, {3, frames[5]}};
    EXPECT_EQ(seen, wanted);
    EXPECT_EQ(bed.counts().packets_not_kept, 0U);
  }
}

TEST(packet_ring, packets_without_room_are_counted) {
  inspection_sizes sizes{.flows = 64, .rates = 64};
  sizes.packet_bytes = 4096;
  stage_bed bed{"alert udp any any -> any any (content:\"xxxx\"; sid:1;)\n", sizes};
  auto const frame = packet_builder{}.eth().ipv4().udp(1, 2).payload(bytes(900, std::byte{'x'})).build();
  std::vector<frame_bytes> frames(10, frame);
  std::vector<inspection_parts::fate> fates;
  bed.judge_group(frames, 0, bed.room(), fates);
  EXPECT_EQ(bed.counts().alerts, 10U);
  EXPECT_EQ(bed.counts().packets_not_kept, 6U);
}

}  // namespace
}  // namespace packetwarp::test
