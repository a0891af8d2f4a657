// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>

#include "inspection/connections.h"
#include "inspection/lanes.h"

namespace packetwarp::test {
namespace {

constexpr char rule_for_carried[] = "alert tcp any any -> any any (content:\"secret word\"; sid:1;)\n";
constexpr std::uint32_t places_of_a_line = 8;

// A stranger's connection, half of whose content came before an attack: the other half alerts if its bytes are kept.
class carried_bounds : public testing::Test {
 protected:
  explicit carried_bounds()
      : bed_{rule_for_carried,
             {.flows = 65'536, .rates = 64, .streams = {.streams = 0}, .carried = places_of_a_line, .texts = 64}} {
    auto frames = stranger_.handshake();
    frames.push_back(stranger_.segment(0, 0, "the secret "));
    judge(frames);
  }
  void judge(std::vector<frame_bytes> frames) { (void)bed_.judge(frames, 32); }
  [[nodiscard]] static connection attacker(unsigned n) { return connection{1000 + n, "10.9.9.9"}; }
  // An attacker has a record from now on, if there is one.
  void open(unsigned n) {
    auto frames = attacker(n).handshake();
    frames.push_back(attacker(n).segment(0, 0, "x"));
    judge(frames);
  }
  void expect_alerts(unsigned count) {
    EXPECT_EQ(bed_.alerts(), count == 0 ? alerts_by_sid{} : (alerts_by_sid{{1, count}}));
  }
  void pass_time() { bed_.table().set_clock(clock_ += 2); }
  // No room and no record stays taken.
  void TearDown() override {
    auto const& tables = bed_.tables();
    for (std::uint32_t n = 0; n < tables.texts.count; ++n) EXPECT_EQ(tables.texts.rooms[n].is_taken, 0U);
    for (std::uint32_t n = 0; n < tables.streams.count; ++n) {
      EXPECT_EQ(tables.streams.records[n].pending, 0U);
      EXPECT_EQ(inspection_parts::stream_word::of(tables.streams.words[n]).held, 0U);
    }
  }

  connection stranger_{4000};
  stage_bed bed_;
  std::uint64_t clock_{};
};

TEST_F(carried_bounds, a_connection_in_use_outlasts_idle_ones) {
  constexpr unsigned attackers = 200;
  for (unsigned n = 0; n < attackers; ++n) {
    pass_time();
    open(n);
    if (n % 5 == 0) judge({stranger_.segment(1, n / 5, "y")});
  }
  EXPECT_EQ(bed_.counts().segments.given_up_for_places, attackers + 1 - places_of_a_line);
  judge({stranger_.segment(0, 11, "word")});
  expect_alerts(1);
  EXPECT_EQ(bed_.counts().unjudged_streams, 0U);
}

TEST_F(carried_bounds, new_connections_are_judged_alone_if_all_others_are_in_use) {
  for (unsigned n = 0; n < 100; ++n) open(n);
  EXPECT_EQ(bed_.counts().segments.given_up_for_places, 0U);
  EXPECT_EQ(bed_.counts().unjudged_streams, 100U + 1 - places_of_a_line);
  judge({stranger_.segment(0, 11, "word")});
  expect_alerts(1);
}

// As if another thread had it: a group's waiting is bounded for all of its segments together, and then each has a try.
TEST_F(carried_bounds, a_record_in_other_hands_keeps_no_stranger_from_its_stream) {
  open(0);
  auto const key_of_word = [this](std::uint32_t n) { return bed_.tables().streams.records[n].flow; };
  auto const& streams = bed_.tables().streams;
  std::uint32_t taken = 0;
  while (taken < places_of_a_line && (streams.words[taken] == 0 || key_of_word(taken) == key_of_word(0))) ++taken;
  ASSERT_LT(taken, places_of_a_line);
  auto in_hand = inspection_parts::stream_word::of(streams.words[taken]);
  in_hand.held = 1;
  streams.words[taken] = in_hand.word();
  std::vector<frame_bytes> frames;
  for (unsigned n = 0; n < 10; ++n) frames.push_back(attacker(0).segment(0, 1 + n, "y"));
  frames.push_back(stranger_.segment(0, 11, "word"));
  judge(frames);
  expect_alerts(1);
  EXPECT_EQ(bed_.counts().unjudged_streams, 10U);
  in_hand.held = 0;
  streams.words[taken] = in_hand.word();
  judge({attacker(0).segment(0, 11, "y")});
  EXPECT_EQ(bed_.counts().unjudged_streams, 10U);
}

TEST_F(carried_bounds, a_connection_that_was_given_up_begins_anew) {
  for (unsigned n = 0; n < places_of_a_line; ++n) {
    pass_time();
    open(n);
  }
  pass_time();
  judge({stranger_.segment(0, 11, "word, the sec"), stranger_.segment(0, 24, "ret word")});
  expect_alerts(1);
  EXPECT_EQ(bed_.counts().segments.given_up, 1U);
  judge({stranger_.segment(1, 5'000'000, "a secret"), stranger_.segment(1, 5'000'008, " word")});
  expect_alerts(2);
}

// Forged segments ahead of the next one.
TEST_F(carried_bounds, the_begin_of_a_stream_outlasts_islands_ahead_of_it) {
  constexpr auto most = inspection_parts::stream_direction::most_islands;
  for (unsigned n = 0; n < 3 * most; ++n) judge({stranger_.segment(0, 100 + 30 * n, "forged, and longer")});
  EXPECT_EQ(bed_.counts().segments.gaps, 2 * most + 1);
  EXPECT_EQ(bed_.counts().segments.out_of_order, 3 * most);
  judge({stranger_.segment(0, 11, "word")});
  expect_alerts(1);
}

TEST_F(carried_bounds, segments_without_a_room_are_judged_alone) {
  auto const rooms = bed_.tables().texts;
  for (std::uint32_t n = 0; n < rooms.count; ++n) EXPECT_EQ(rooms.take(n), n);
  judge({stranger_.segment(0, 11, "word")});
  judge({stranger_.segment(1, 0, "a secret word")});
  expect_alerts(1);
  EXPECT_EQ(bed_.counts().unjudged_streams, 2U);
  for (std::uint32_t n = 0; n < rooms.count; ++n) rooms.give_back(n);
  judge({stranger_.segment(0, 11, "word")});
  expect_alerts(2);
}

TEST_F(carried_bounds, segments_that_are_too_long_or_far_away_are_judged_alone) {
  constexpr std::uint32_t far = 1 << 20;
  judge({stranger_.segment(0, 11, "word" + std::string(1469, '.'))});
  expect_alerts(0);
  EXPECT_EQ(bed_.counts().unjudged_streams, 1U);
  judge({stranger_.segment(0, 11 + far + 1, "secret word")});
  expect_alerts(1);
  EXPECT_EQ(bed_.counts().segments.too_far_ahead, 1U);
  judge({stranger_.segment(0, 0xffff'ffff, "secret word")});
  expect_alerts(2);
  EXPECT_EQ(bed_.counts().segments.differing, 1U) << "before the first byte";
  for (std::uint32_t n = 1; n < 4; ++n) judge({stranger_.segment(0, 11 + n * far, "x")});
  judge({stranger_.segment(0, 11, "word")});
  expect_alerts(3);
  EXPECT_EQ(bed_.counts().unjudged_streams, 3U);
}

TEST_F(carried_bounds, segments_of_other_connections_are_judged_alone) {
  judge({attacker(1).segment(0, 0, "secret word")});
  EXPECT_EQ(bed_.counts().segments.without_begin, 1U);
  judge({stranger_.segment(0, 11, "word", wire::tcp_flag::rst | wire::tcp_flag::ack)});
  expect_alerts(1);
  EXPECT_EQ(bed_.counts().unjudged_streams, 2U);
}

// The same ports and numbers: nothing of the connection before is left.
TEST_F(carried_bounds, a_new_connection_begins_anew) {
  judge({stranger_.segment(0, 11, {}, wire::tcp_flag::rst | wire::tcp_flag::ack)});
  auto frames = stranger_.handshake();
  frames.push_back(stranger_.segment(0, 11, "word"));
  frames.push_back(stranger_.segment(0, 0, "the secret "));
  judge(frames);
  expect_alerts(1);
  EXPECT_EQ(bed_.counts().segments.repeated, 0U);
  EXPECT_EQ(bed_.counts().segments.out_of_order, 1U);
}

TEST_F(carried_bounds, repeated_bytes_are_compared) {
  judge({stranger_.segment(0, 4, "secret wor")});
  EXPECT_EQ(bed_.counts().segments.repeated, 1U);
  judge({stranger_.segment(0, 4, "secret word")});
  expect_alerts(1);
  judge({stranger_.segment(0, 4, "secret word")});
  expect_alerts(1);
  EXPECT_EQ(bed_.counts().segments.repeated, 3U);
  judge({stranger_.segment(0, 4, "Secret word")});
  judge({stranger_.segment(0, 0, "all secret word")});
  expect_alerts(2);
  EXPECT_EQ(bed_.counts().segments.differing, 2U);
}

// A segment that repeats what came before it, and brings the bytes between.
TEST_F(carried_bounds, a_segment_that_covers_others_joins_them) {
  judge({stranger_.segment(0, 13, "rd")});
  judge({stranger_.segment(0, 20, "a secret")});
  expect_alerts(0);
  judge({stranger_.segment(0, 8, "et word.....a sec")});
  expect_alerts(1);
  EXPECT_EQ(bed_.counts().segments.repeated, 1U);
  judge({stranger_.segment(0, 28, " word")});
  expect_alerts(2);
  EXPECT_EQ(bed_.counts().segments.differing, 0U);
}

TEST_F(carried_bounds, a_segment_that_covers_other_bytes_is_judged_as_a_packet_too) {
  judge({stranger_.segment(0, 13, "rm")});
  judge({stranger_.segment(0, 8, "et word....")});
  EXPECT_EQ(bed_.counts().segments.differing, 1U);
  expect_alerts(1);
}

// The end of a long island stays, also if a segment joins it to the one before.
TEST_F(carried_bounds, islands_that_are_joined_have_the_ends_of_both) {
  std::string const text = "a secret" + std::string(400, '.') + "secret ";
  judge({stranger_.segment(0, 22, text)});
  judge({stranger_.segment(0, 11, "was not a w")});
  judge({stranger_.segment(0, static_cast<std::uint32_t>(22 + text.size()), "word")});
  expect_alerts(1);
  judge({stranger_.segment(1, 100, "rd" + std::string(400, '.'))});
  judge({stranger_.segment(1, 97, " wo")});
  judge({stranger_.segment(1, 91, "secret")});
  expect_alerts(2);
}

// Bytes after it and before it are its own.
TEST_F(carried_bounds, an_island_that_grows_keeps_its_first_bytes) {
  judge({stranger_.segment(1, 106, " wo")});
  judge({stranger_.segment(1, 109, "rd")});
  judge({stranger_.segment(1, 105, "t")});
  judge({stranger_.segment(1, 100, "secre")});
  expect_alerts(1);
}

// Long bytes between are not kept, so they may be others.
TEST_F(carried_bounds, bytes_that_are_kept_no_longer_are_searched_again) {
  std::string const text = "a secret word" + std::string(1000, '.');
  judge({stranger_.segment(1, 0, text)});
  judge({stranger_.segment(1, 0, text)});
  expect_alerts(2);
  EXPECT_EQ(bed_.counts().segments.differing, 1U);
}

}  // namespace
}  // namespace packetwarp::test
