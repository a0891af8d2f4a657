// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/neighbour_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "wire/address_text.h"

namespace packetwarp::neighbour_cache_tests {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using learning = neighbour_cache::learning;

constexpr auto left = static_cast<interface_index>(0);
constexpr auto right = static_cast<interface_index>(1);
enum class family : std::uint8_t { ipv4, ipv6 };

// A cache beside a router with two wide networks. The waiting packets are dummies: the cache never reads them.
class neighbour_cache_test : public testing::TestWithParam<family> {
 protected:
  neighbour_cache_test() {
    for (auto const interface : {left, right}) {
      auto const n = static_cast<unsigned>(interface);
      (void)table_.add_interface(wire::mac_address::from_number(0x0200'0000'0001 + n), 1500);
      table_.add_address(interface, {wire::ipv4_address{(10U << 24 | n << 16) + 1}, 16});
      table_.add_address(interface, {wire::ipv6_address{0x2001'0db8'0000'0000ULL | n, 1}, 64});
    }
  }

  [[nodiscard]] static neighbour_key host(interface_index interface, unsigned number) {
    auto const n = static_cast<unsigned>(interface);
    if (GetParam() == family::ipv4) return {interface, wire::ipv4_address{(10U << 24 | n << 16) + 2 + number}};
    return {interface, wire::ipv6_address{0x2001'0db8'0000'0000ULL | n, 2 + number}};
  }
  [[nodiscard]] static wire::mac_address mac(unsigned number) {
    return wire::mac_address::from_number(0x0200'0100'0000ULL + number);
  }
  // The events of a packet from an interface that needs a host's MAC address.
  neighbour_events need(neighbour_cache& of, neighbour_key const& who, interface_index from, control_time now = {},
                        std::uint32_t source = 0) {
    neighbour_events events;
    of.hold(who, {nullptr, from, held_packet::origin::punted, source}, now, events);
    return events;
  }
  // The host tells its MAC address: it asks for ours, or answers.
  bool say(neighbour_cache& of, neighbour_key const& who, unsigned number, learning how, control_time now = {}) {
    neighbour_events events;
    return of.learn(who, mac(number), how, now, events);
  }
  void expect_resolves(neighbour_cache& of, neighbour_key const& who, interface_index from, control_time now = {}) {
    EXPECT_EQ(need(of, who, from, now).questions.size(), 1u);
    neighbour_events events;
    EXPECT_TRUE(of.learn(who, mac(1), learning::known_only, now, events));
    EXPECT_EQ(events.ready.size(), 1u);
    EXPECT_TRUE(table_.has_mac(who));
  }
  [[nodiscard]] static std::size_t refused(neighbour_events const& events, control_drop why) {
    return static_cast<std::size_t>(
        std::ranges::count_if(events.refused, [&](auto const& one) { return one.why == why; }));
  }

  router_table table_{{}, {.interfaces = 2, .ipv4_groups = 16, .ipv6_groups = 256}};
};

TEST_P(neighbour_cache_test, each_neighbour_is_visited_once_page_by_page_while_others_come_and_go) {
  neighbour_cache cache{table_, {}};
  for (unsigned n = 0; n < 40; ++n) ASSERT_TRUE(say(cache, host(left, n), n, learning::anyone));
  for (unsigned n = 0; n < 20; ++n) ASSERT_TRUE(say(cache, host(right, n), n, learning::anyone));
  std::map<neighbour_key, int, neighbour_less> seen;
  std::optional<neighbour_key> from;
  for (unsigned page = 0; page == 0 || from; ++page) {
    auto const begin = std::exchange(from, std::nullopt);
    unsigned left_on_page = 8;
    cache.visit(begin, 9, [&](known_neighbour const& one) {
      if (left_on_page-- == 0) {
        from = one.who;
      } else {
        ++seen[one.who];
      }
    });
    neighbour_events none;
    cache.forget(host(left, page), none);  // of an earlier page, or the next one's first
    (void)say(cache, host(left, 100 + page), page, learning::anyone);
  }
  for (unsigned n = 10; n < 40; ++n) EXPECT_EQ(seen[host(left, n)], 1) << n;
  for (unsigned n = 0; n < 20; ++n) EXPECT_EQ(seen[host(right, n)], 1) << n;
  EXPECT_TRUE(std::ranges::all_of(seen, [](auto const& one) { return one.second == 1; }));
}

TEST_P(neighbour_cache_test, tells_of_each_neighbour_its_state_and_since_when) {
  neighbour_cache cache{table_, {}};
  neighbour_events none;
  cache.add_permanent(host(left, 0), mac(9), none);
  (void)need(cache, host(left, 1), right, seconds{1});
  ASSERT_TRUE(say(cache, host(left, 2), 2, learning::anyone, seconds{2}));
  neighbour_events events;
  cache.tick(seconds{9}, events);  // the second is asked itself, and the first gets another question without an answer
  std::vector<known_neighbour> all;
  cache.visit(std::nullopt, 10, [&](known_neighbour const& one) { all.push_back(one); });
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].state, neighbour_state::permanent);
  EXPECT_EQ(all[0].mac, mac(9));
  EXPECT_EQ(all[1].state, neighbour_state::incomplete);
  EXPECT_EQ(all[1].mac, std::nullopt);
  EXPECT_EQ(all[1].heard, seconds{1});
  EXPECT_EQ(all[1].waiting, 1u);
  EXPECT_EQ(all[2].state, neighbour_state::stale);
  EXPECT_EQ(all[2].mac, mac(2));
  EXPECT_EQ(all[2].heard, seconds{2});
  EXPECT_EQ(cache.known(left), 1u);
  cache.give_up(events);
}

TEST_P(neighbour_cache_test, forged_hosts_push_out_none_that_answered_and_none_by_configuration) {
  neighbour_cache cache{table_, {.neighbours = 8}};
  neighbour_events none;
  cache.add_permanent(host(left, 0), mac(9), none);
  for (unsigned n = 1; n <= 4; ++n) expect_resolves(cache, host(left, n), right);
  for (unsigned n = 100; n < 1000; ++n) (void)say(cache, host(left, n), n, learning::anyone);
  for (unsigned n = 0; n <= 4; ++n) EXPECT_TRUE(table_.has_mac(host(left, n))) << n;
  EXPECT_EQ(cache.size(), 9u);
  EXPECT_TRUE(table_.has_mac(host(left, 999))) << "the newest of the forged";
  EXPECT_FALSE(table_.has_mac(host(left, 100))) << "the oldest of the forged";
}

TEST_P(neighbour_cache_test, twenty_thousand_forged_hosts_leave_new_ones_reachable_on_every_interface) {
  neighbour_cache cache{table_, {}};
  for (unsigned n = 0; n < 20'000; ++n) {
    (void)say(cache, host(left, 100 + n), n, learning::anyone, microseconds{50 * n});
  }
  EXPECT_LE(cache.size(), 1501u) << "as many as may be learnt at once, and of a second";
  expect_resolves(cache, host(right, 1), left, seconds{1});
  expect_resolves(cache, host(left, 1), right, seconds{1});
}

TEST_P(neighbour_cache_test, a_full_table_of_one_interface_is_no_other_s) {
  neighbour_cache cache{table_, {.neighbours = 4, .all_neighbours = 8}};
  for (unsigned n = 0; n < 4; ++n) expect_resolves(cache, host(left, n), right);
  EXPECT_EQ(refused(need(cache, host(left, 9), right), control_drop::neighbours_full), 1u);
  EXPECT_FALSE(say(cache, host(left, 9), 9, learning::anyone));
  expect_resolves(cache, host(right, 9), left);
}

TEST_P(neighbour_cache_test, a_scan_leaves_other_hosts_their_questions) {
  neighbour_cache cache{table_, {}};
  std::size_t questions = 0;
  for (unsigned n = 0; n < 16'000; ++n) {
    questions += need(cache, host(left, 100 + n), right, n * seconds{1} / 16'000, 9).questions.size();
  }
  EXPECT_LE(questions, 376u);
  neighbour_events events;
  cache.hold(host(left, 1), {nullptr, right, held_packet::origin::punted, 10}, seconds{1}, events);
  EXPECT_EQ(events.questions.size(), 1u) << "for another source that comes in by the same interface";
}

TEST_P(neighbour_cache_test, a_scan_by_forged_sources_leaves_other_interfaces_their_questions) {
  neighbour_cache cache{table_, {}};
  std::size_t questions = 0;
  std::size_t limited = 0;
  for (unsigned n = 0; n < 16'000; ++n) {
    control_time const now = n * seconds{1} / 16'000;
    auto const events = need(cache, host(left, 100 + n), right, now, n);
    questions += events.questions.size();
    limited += refused(events, control_drop::asking_limited);
  }
  EXPECT_LE(questions, 750u);
  EXPECT_EQ(questions + limited, 16'000u);
  EXPECT_LE(cache.size(), 512u);
  EXPECT_LE(cache.held(), 512u);
  expect_resolves(cache, host(left, 1), left, seconds{1});
  expect_resolves(cache, host(right, 1), right, seconds{1});
}

TEST_P(neighbour_cache_test, questions_that_are_asked_again_count_too) {
  neighbour_cache cache{table_, {.questions_per_second = 10, .questions_at_once = 20}};
  for (unsigned n = 0; n < 10; ++n) EXPECT_EQ(need(cache, host(left, n), right, {}, n).questions.size(), 1u);
  neighbour_events again;
  cache.tick(seconds{1}, again);
  EXPECT_EQ(again.questions.size(), 5u);
  neighbour_events silent;
  for (auto const now : {seconds{2}, seconds{3}, seconds{4}}) cache.tick(now, silent);
  EXPECT_EQ(silent.silent.size(), 10u) << "none waits for longer because it was not asked for";
  EXPECT_EQ(cache.size(), 0u);
}

TEST_P(neighbour_cache_test, the_oldest_that_was_asked_for_makes_room) {
  neighbour_cache cache{table_, {.asked = 4}};
  for (unsigned n = 0; n < 4; ++n) (void)need(cache, host(left, n), right);
  EXPECT_EQ(refused(need(cache, host(left, 4), right), control_drop::hold_full), 1u);
  EXPECT_FALSE(cache.state_of(host(left, 0)).has_value());
  EXPECT_EQ(cache.size(), 4u);
  EXPECT_EQ(cache.held(), 4u);
}

TEST_P(neighbour_cache_test, packets_of_the_oldest_make_room_for_new_ones_on_their_interface) {
  neighbour_cache cache{table_, {.held_each = 2, .held = 4}};
  (void)need(cache, host(right, 0), left);
  for (unsigned n = 0; n < 4; ++n) (void)need(cache, host(left, n / 2), right);
  EXPECT_EQ(refused(need(cache, host(left, 2), right), control_drop::hold_full), 2u);
  EXPECT_EQ(cache.held(), 4u);
  EXPECT_EQ(cache.state_of(host(right, 0)), neighbour_state::incomplete) << "another interface's";
}

TEST_P(neighbour_cache_test, one_that_nobody_asked_is_asked_soon_and_forgotten_when_it_does_not_answer) {
  neighbour_cache cache{table_, {}};
  EXPECT_TRUE(say(cache, host(left, 1), 1, learning::anyone));
  EXPECT_TRUE(say(cache, host(left, 2), 2, learning::anyone));
  EXPECT_TRUE(say(cache, host(left, 2), 2, learning::anyone, seconds{4})) << "which proves nothing";
  neighbour_events asked;
  cache.tick(seconds{5}, asked);
  ASSERT_EQ(asked.questions.size(), 2u);
  EXPECT_EQ(asked.questions[0].last_known, mac(1)) << "itself";
  EXPECT_TRUE(say(cache, host(left, 1), 1, learning::known_only, seconds{5}));
  for (auto const now : {seconds{6}, seconds{7}, seconds{8}}) cache.tick(now, asked);
  EXPECT_TRUE(table_.has_mac(host(left, 1)));
  EXPECT_FALSE(table_.has_mac(host(left, 2)));
  neighbour_events later;
  cache.tick(seconds{64}, later);
  EXPECT_EQ(later.questions.size(), 0u) << "trusted for a minute";
}

TEST_P(neighbour_cache_test, gives_all_room_back) {
  neighbour_cache cache{table_, {.held = 4, .neighbours = 4, .asked = 4}};
  for (unsigned round = 0; round < 20; ++round) {
    control_time const now = seconds{100 * round};
    for (unsigned n = 0; n < 8; ++n) {
      (void)need(cache, host(left, n), right, now);
      if (n % 3 == 0) (void)say(cache, host(left, n), n, learning::known_only, now);
      if (n % 3 == 1) (void)say(cache, host(left, 20 + n), n, learning::anyone, now);
    }
    neighbour_events events;
    for (unsigned second = 0; second < 70; ++second) cache.tick(now + seconds{second}, events);
    ASSERT_EQ(cache.size(), 0u) << round;
    ASSERT_EQ(cache.held(), 0u) << round;
  }
}

INSTANTIATE_TEST_SUITE_P(of, neighbour_cache_test, testing::Values(family::ipv4, family::ipv6),
                         [](auto const& one) { return one.param == family::ipv4 ? "ipv4" : "ipv6"; });

}  // namespace
}  // namespace packetwarp::neighbour_cache_tests
