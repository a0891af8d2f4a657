// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "function/inspection/flow_word.h"
#include "function/inspection/group/follow_group.h"
#include "function/inspection/rate_word.h"

namespace packetwarp::inspection_parts {
namespace {

[[nodiscard]] feature::packet_facts udp() {
  feature::packet_facts facts{};
  facts.kind = feature::transport::udp;
  facts.has_ports = 1;
  return facts;
}
[[nodiscard]] feature::packet_keys key(std::uint32_t tag, std::uint32_t direction = 0) {
  feature::packet_keys keys{};
  keys.flow = std::uint64_t{tag} << 32;
  keys.direction = direction;
  return keys;
}

TEST(flow_word, is_what_it_was_made_of) {
  flow_word const one{.tag = 0xfedc'ba98,
                      .used = 0xf'1234,
                      .client = 1,
                      .seen = 2,
                      .stage = tcp_stage::closed,
                      .bypassed = 1,
                      .ended = 2,
                      .asked = syn_state::of_second_gone_on};
  auto const again = flow_word::of(one.word());
  EXPECT_EQ(again.tag, one.tag);
  EXPECT_EQ(again.used, one.used);
  EXPECT_EQ(again.client, one.client);
  EXPECT_EQ(again.seen, one.seen);
  EXPECT_EQ(again.stage, one.stage);
  EXPECT_EQ(again.bypassed, one.bypassed);
  EXPECT_EQ(again.ended, one.ended);
  EXPECT_EQ(again.asked, one.asked);
}

struct flow_line : testing::Test {
  alignas(64) std::array<std::uint64_t, line_words> words{};
  flow_table_ref table{words.data(), 0};
};

TEST_F(flow_line, knows_the_client_by_the_first_packet) {
  auto const first = follow(table, udp(), key(7, 1), 5);
  EXPECT_TRUE(first.has_place && first.is_new && first.is_to_server && first.begins_direction);
  EXPECT_FALSE(first.is_established);
  auto const answer = follow(table, udp(), key(7, 0), 5);
  EXPECT_TRUE(answer.is_established && answer.begins_direction);
  EXPECT_FALSE(answer.is_new || answer.is_to_server);
}

TEST_F(flow_line, keeps_flows_in_use_and_gives_the_newest_no_place) {
  for (std::uint32_t n = 1; n <= line_words; ++n) EXPECT_TRUE(follow(table, udp(), key(n), 100).has_place);
  EXPECT_FALSE(follow(table, udp(), key(99), 101).has_place) << "all have been used lately";
  // Flow 3 is idle for long; so is 4, which has packets of both directions.
  for (std::uint32_t n = 1; n <= line_words; ++n) {
    if (n == 4) (void)follow(table, udp(), key(n, 1), 100);
    if (n != 3 && n != 4) (void)follow(table, udp(), key(n), 130);
  }
  auto const found = follow(table, udp(), key(99), 131);
  EXPECT_TRUE(found.has_place && found.is_new);
  EXPECT_EQ(found.place, 2U) << "the place of flow 3";
}

TEST_F(flow_line, is_bypassed_until_the_flow_or_its_place_begins_anew) {
  auto const first = follow(table, udp(), key(7), 5);
  EXPECT_FALSE(first.is_bypassed);
  EXPECT_FALSE(bypass(table, first.place, key(8).flow)) << "another flow's place";
  EXPECT_TRUE(bypass(table, first.place, key(7).flow));
  EXPECT_FALSE(bypass(table, first.place, key(7).flow)) << "once";
  EXPECT_TRUE(follow(table, udp(), key(7, 1), 6).is_bypassed);
  for (std::uint32_t n = 11; n < 11 + line_words; ++n) EXPECT_FALSE(follow(table, udp(), key(n), 100).is_bypassed);
  EXPECT_FALSE(follow(table, udp(), key(7), 200).is_bypassed);
}

TEST_F(flow_line, counts_idle_time_across_the_end_of_the_clock) {
  constexpr std::uint64_t end = std::uint64_t{time_mask} + 1;
  for (std::uint32_t n = 1; n <= line_words; ++n) (void)follow(table, udp(), key(n), end - 1);
  EXPECT_FALSE(follow(table, udp(), key(99), end).has_place);
  EXPECT_TRUE(follow(table, udp(), key(99), end + 1).has_place);
}

// A thread that has read the clock before another one took a step of it.
TEST_F(flow_line, takes_no_place_that_was_used_after_its_time) {
  for (std::uint32_t n = 1; n <= line_words; ++n) (void)follow(table, udp(), key(n), 5001);
  EXPECT_FALSE(follow(table, udp(), key(99), 5000).has_place);
  EXPECT_FALSE(follow(table, udp(), key(99), 5001 - 1000).has_place);
  EXPECT_EQ(idle_time(5000, 4999), 0U);
  EXPECT_EQ(idle_time(5000, 3000), time_mask - 1999) << "idle for hours";
}

// Another flow takes the line's last place after the packets of this one have been followed.
TEST_F(flow_line, leaves_packets_no_flow_that_has_lost_its_place_to_another) {
  for (std::uint32_t n = 1; n < line_words; ++n) (void)follow(table, udp(), key(n), 100);
  packet_note note{};
  note.flow = key(50).flow;
  auto const at = follow_flow(table, note.flow, 100, [&](flow_word flow, std::uint32_t) {
    auto const next = detail::follow_packet(flow, answered_numbers::not_looked_up, note);
    (void)follow(table, udp(), key(60), 100);
    return next;
  });
  ASSERT_FALSE(at.is_there);
  detail::note_place(at, note);
  detail::forget_flow_without_place(note);
  EXPECT_EQ(note.flow, 0U);
  EXPECT_EQ(note.flags & note_flag::of_flow, 0);
}

// Other threads change the flow between each look at it and its change.
TEST_F(flow_line, gives_a_packet_no_flow_after_many_tries_in_vain) {
  unsigned tries = 0;
  auto const at = follow_flow(table, key(7).flow, 100, [&](flow_word flow, std::uint32_t place) {
    auto other = flow_word::of(std::uint64_t{7} << 32);
    other.used = ++tries;
    words[place] = other.word();
    flow.seen = 3;
    return flow;
  });
  EXPECT_FALSE(at.is_there);
  EXPECT_EQ(tries, tries_of_flow);
  EXPECT_TRUE(follow(table, udp(), key(7), 100).has_place) << "the next one";
}

TEST_F(flow_line, is_one_flow_for_threads_that_meet_it_at_once) {
  for (std::uint32_t round = 1; round <= 200; ++round) {
    words = {};
    std::atomic<unsigned> begun{};
    std::vector<std::thread> threads;
    for (unsigned n = 0; n < 4; ++n) {
      threads.emplace_back([&, n] { begun += follow(table, udp(), key(round, n % 2), 5).is_new ? 1U : 0U; });
    }
    for (auto& one : threads) one.join();
    EXPECT_EQ(begun.load(), 1U);
    EXPECT_EQ(flow_word::of(words[0]).seen, 3U);
    EXPECT_EQ(words[1], 0U);
  }
}

struct rate_line : testing::Test {
  alignas(64) std::array<std::uint64_t, line_words> words{};
  rate_table_ref table{words.data(), 0};
  bool has_place{true};

  [[nodiscard]] std::vector<rate_answer> matches(inspect::rate_kind kind, unsigned count, std::uint32_t at = 0) {
    inspect::compiled_rate const rate{
        .count = 2, .seconds = 10, .kind = static_cast<std::uint8_t>(kind), .track = 0, .reserved = {}};
    std::vector<rate_answer> all;
    for (unsigned n = 0; n < count; ++n)
      all.push_back(count_match(table, rate, std::uint64_t{5} << 44, {at, 10}, has_place));
    return all;
  }
};
constexpr auto nothing = rate_answer::nothing;
constexpr auto action = rate_answer::action;
constexpr auto alert = rate_answer::alert;

TEST_F(rate_line, limits_counts_and_filters) {
  EXPECT_EQ(matches(inspect::rate_kind::limit, 4), (std::vector{alert, alert, action, action}));
  words = {};
  EXPECT_EQ(matches(inspect::rate_kind::threshold, 5), (std::vector{nothing, alert, nothing, alert, nothing}));
  words = {};
  EXPECT_EQ(matches(inspect::rate_kind::both, 4), (std::vector{nothing, alert, action, action}));
  words = {};
  EXPECT_EQ(matches(inspect::rate_kind::detection_filter, 4), (std::vector{nothing, nothing, alert, alert}));
}

TEST_F(rate_line, begins_anew_after_the_time) {
  EXPECT_EQ(matches(inspect::rate_kind::limit, 3), (std::vector{alert, alert, action}));
  EXPECT_EQ(matches(inspect::rate_kind::limit, 1, 160), std::vector{action}) << "the end belongs to the time";
  EXPECT_EQ(matches(inspect::rate_kind::limit, 3, 161), (std::vector{alert, alert, action}));
}

// Six days after its end, and more: the word's time comes again after twelve.
TEST_F(rate_line, is_over_for_all_of_the_clocks_lap) {
  constexpr std::uint32_t per_day = 16 * 86'400;
  for (std::uint32_t const at : {161U, per_day, 6 * per_day, 7 * per_day, 8 * per_day, 12 * per_day}) {
    words = {};
    EXPECT_EQ(matches(inspect::rate_kind::limit, 3), (std::vector{alert, alert, action}));
    EXPECT_EQ(matches(inspect::rate_kind::limit, 1, at), std::vector{alert}) << at;
  }
}

TEST_F(rate_line, gives_places_that_are_over_for_all_of_the_clocks_lap) {
  constexpr std::uint32_t per_day = 16 * 86'400;
  inspect::compiled_rate rate{};
  rate.count = 1;
  rate.seconds = 60;
  for (std::uint32_t const at : {2 * per_day, 8 * per_day, 11 * per_day}) {
    words = {};
    for (std::uint64_t n = 1; n <= line_words; ++n) (void)count_match(table, rate, n << 44, {0, 86'400}, has_place);
    (void)count_match(table, rate, std::uint64_t{99} << 44, {at, 86'400}, has_place);
    EXPECT_TRUE(has_place) << at;
  }
  // A rule with a day may own them.
  rate.seconds = 86'400;
  words = {};
  for (std::uint64_t n = 1; n <= line_words; ++n) (void)count_match(table, rate, n << 44, {0, 86'400}, has_place);
  rate.seconds = 60;
  (void)count_match(table, rate, std::uint64_t{99} << 44, {per_day / 2, 86'400}, has_place);
  EXPECT_FALSE(has_place);
}

TEST_F(rate_line, counts_on_for_a_thread_whose_time_is_behind) {
  EXPECT_EQ(matches(inspect::rate_kind::limit, 3, 100), (std::vector{alert, alert, action}));
  EXPECT_EQ(matches(inspect::rate_kind::limit, 1, 99), std::vector{action});
}

TEST(rate_key, by_both_is_the_same_in_both_directions) {
  constexpr hash_key secret{3, 5};
  inspect::inspected_packet there{};
  there.ip_version = 6;
  inspect::compiled_rate rate{};
  for (auto const& [source, destination] : {std::pair{wire::ipv6_address{1, 9}, wire::ipv6_address{2, 3}},
                                            std::pair{wire::ipv6_address{1, 9}, wire::ipv6_address{1, 3}}}) {
    there.source = source;
    there.destination = destination;
    auto back = there;
    std::swap(back.source, back.destination);
    auto const are_the_same = [&](inspect::rate_track track) {
      rate.track = static_cast<std::uint8_t>(track);
      return detail::key_of(rate, 7, there, 1, secret) == detail::key_of(rate, 7, back, 1, secret);
    };
    EXPECT_TRUE(are_the_same(inspect::rate_track::by_both));
    EXPECT_FALSE(are_the_same(inspect::rate_track::by_source));
    EXPECT_FALSE(are_the_same(inspect::rate_track::by_destination));
  }
}

TEST_F(rate_line, says_when_it_is_full) {
  inspect::compiled_rate const limit{.count = 1,
                                     .seconds = 10,
                                     .kind = static_cast<std::uint8_t>(inspect::rate_kind::limit),
                                     .track = 0,
                                     .reserved = {}};
  auto filter = limit;
  filter.kind = static_cast<std::uint8_t>(inspect::rate_kind::detection_filter);
  for (std::uint64_t n = 1; n <= line_words; ++n)
    EXPECT_EQ(count_match(table, limit, n << 44, {0, 10}, has_place), alert);
  EXPECT_TRUE(has_place);
  EXPECT_EQ(count_match(table, limit, std::uint64_t{99} << 44, {0, 10}, has_place), alert);
  EXPECT_FALSE(has_place);
  EXPECT_EQ(count_match(table, filter, std::uint64_t{99} << 44, {0, 10}, has_place), nothing);
  has_place = true;
  EXPECT_EQ(count_match(table, limit, std::uint64_t{99} << 44, {161, 10}, has_place), alert)
      << "in the place of one that is over";
  EXPECT_TRUE(has_place);
}

}  // namespace
}  // namespace packetwarp::inspection_parts
