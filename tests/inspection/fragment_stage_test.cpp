// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "inspection/connections.h"
#include "inspection/random_packets.h"
#include "inspection/stage_bed.h"
#include "wire/ipv4.h"

namespace packetwarp::test {
namespace {

using inspection_parts::fate;

// The frame's datagram in fragments of this many bytes, a multiple of 8.
[[nodiscard]] std::vector<frame_bytes> in_fragments(frame_bytes const& whole, std::size_t size,
                                                    unsigned identification) {
  constexpr std::size_t head = 14 + 20;
  std::vector<frame_bytes> made;
  for (std::size_t begin = 0; begin < whole.size() - head; begin += size) {
    auto const count = std::min(size, whole.size() - head - begin);
    bool const is_last = begin + count == whole.size() - head;
    frame_bytes one{whole.begin(), whole.begin() + head};
    auto const from = whole.begin() + static_cast<std::ptrdiff_t>(head + begin);
    one.insert(one.end(), from, from + static_cast<std::ptrdiff_t>(count));
    wire::ipv4_view const ip{one.data() + 14};
    ip.set_total_length(static_cast<std::uint16_t>(20 + count));
    ip.set_identification(static_cast<std::uint16_t>(identification));
    ip.set_fragment_word(static_cast<std::uint16_t>((is_last ? 0U : 0x2000U) | begin / 8));
    ip.fill_checksum();
    made.push_back(std::move(one));
  }
  return made;
}

[[nodiscard]] frame_bytes udp_with(std::string const& text, char const* source = "10.0.0.1") {
  auto const* raw = reinterpret_cast<std::byte const*>(text.data());
  return packet_builder{}.eth().ipv4(source, "20.0.0.9").udp(4000, 53).payload(bytes{raw, raw + text.size()}).build();
}

constexpr char drop_secret[] =
    "drop udp any any -> any 53 (content:\"a secret word\"; sid:1;)\n"
    "drop tcp any any -> any any (content:\"a secret word\"; sid:2;)\n";

// A content across fragments of 8 bytes, in which the first one has no more than the header of UDP.
TEST(fragment_stage, a_datagram_is_judged_and_its_last_fragment_dropped) {
  for (std::size_t const size : {8U, 16U, 24U}) {
    for (unsigned const group : {1U, 32U}) {
      stage_bed bed{drop_secret};
      auto frames = in_fragments(udp_with("this is a secret word of mine"), size, 7);
      std::rotate(frames.begin(), frames.begin() + 1, frames.end());
      auto const fates = bed.judge(frames, group);
      std::vector<fate> wanted(frames.size(), fate::goes_on);
      wanted.back() = fate::dropped;
      EXPECT_EQ(fates, wanted) << size;
      EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}}));
      auto const counts = bed.counts();
      EXPECT_EQ(counts.packets, frames.size());
      EXPECT_EQ(counts.fragments, frames.size());
      EXPECT_EQ(counts.datagrams, (inspect::fragment_counts{.datagrams = 1}));
    }
  }
}

// A header of TCP that lies in two fragments (RFC 1858, 3): neither has ports and flags as a whole.
TEST(fragment_stage, tiny_fragments_hide_no_segment) {
  stage_bed bed{drop_secret};
  connection const made{4000};
  auto frames = made.handshake();
  append(frames, in_fragments(made.segment(0, 0, "this is a secret "), 8, 1));
  auto const last = in_fragments(made.segment(0, 17, "word"), 8, 2);
  append(frames, last);
  frames.push_back(made.segment(0, 17, "word"));
  auto const fates = bed.judge(frames, 5);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{2, 1}}));
  EXPECT_EQ(fates[frames.size() - 2], fate::dropped);
  EXPECT_EQ(fates[frames.size() - 3], fate::goes_on);
  EXPECT_EQ(fates.back(), fate::dropped) << "a repetition in one piece";
  EXPECT_EQ(bed.counts().of_ended_connections, 1U);
}

TEST(fragment_stage, gives_the_inspectors_alerts_and_counts) {
  std::mt19937 random{5};
  std::vector<frame_bytes> frames;
  unsigned identification = 0;
  for (auto const& frame : random_packets(1500, 21)) {
    ++identification;
    if (random() % 3 != 0 || frame.size() < 14 + 20 + 16) {
      frames.push_back(frame);
      continue;
    }
    auto parts = in_fragments(frame, 8 * (1 + random() % 3), identification);
    if (random() % 2 == 0) std::shuffle(parts.begin(), parts.end(), random);
    if (random() % 4 == 0) parts.insert(parts.begin() + 1, frame_bytes{parts.front()});
    if (random() % 4 == 0) parts.pop_back();
    append(frames, parts);
  }
  auto const text = std::string{rules_of_all_kinds} + "alert ip any any -> any any (flow:only_frag; sid:20;)\n";
  for (unsigned const group : {1U, 3U, 32U}) {
    stage_bed bed{text};
    (void)bed.judge(frames, group);
    inspect::inspector judge{bed.compiled(), bed.rules().rules.size(), inspection_key, {.flows = 65'536}};
    EXPECT_EQ(bed.alerts(), alerts_of(judge, bed, frames)) << "groups of " << group;
    EXPECT_EQ(bed.counts().datagrams, judge.fragments().counts());
    EXPECT_EQ(bed.counts().fragments, judge.counts().fragments);
    EXPECT_GT(bed.counts().datagrams.datagrams, 200U);
    EXPECT_GT(bed.counts().datagrams.repeated, 20U);
    EXPECT_GT(bed.counts().fragments, 1000U);
  }
}

TEST(fragment_stage, by_headers_alone_no_datagram_is_judged) {
  auto sizes = inspection_sizes{.flows = 64, .rates = 64};
  sizes.fragments = fragment_handling::headers;
  for (auto const& one : {sizes, inspection_sizes{.flows = 64, .rates = 64, .streams = {.streams = 0}}}) {
    stage_bed bed{drop_secret, one};
    auto frames = in_fragments(udp_with("this is a secret word of mine"), 16, 7);
    EXPECT_EQ(bed.judge(frames, 32), std::vector(frames.size(), fate::goes_on));
    EXPECT_EQ(bed.counts().fragments, frames.size());
    EXPECT_EQ(bed.counts().datagrams, inspect::fragment_counts{});
  }
}

// A stranger's datagram among first fragments of others, as many as there are places: those are counted as given up.
TEST(fragment_stage, a_flood_of_first_fragments_is_bounded_and_counted) {
  constexpr unsigned flood = 3000;
  stage_bed bed{drop_secret};
  std::vector<frame_bytes> frames;
  for (unsigned n = 0; n < flood; ++n)
    frames.push_back(in_fragments(udp_with(std::string(64, 'x'), "10.9.9.9"), 32, n)[0]);
  auto const mine = in_fragments(udp_with("this is a secret word of mine"), 16, 7);
  frames.insert(frames.end() - 500, mine[0]);
  append(frames, {mine.begin() + 1, mine.end()});
  (void)bed.judge(frames, 32);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}}));
  EXPECT_GE(bed.counts().datagrams.given_up, flood - inspect::fragment_table::most_datagrams);
}

}  // namespace
}  // namespace packetwarp::test
