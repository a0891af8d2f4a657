// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "fixtures/repetitions.h"
#include "function/nat44/nat44_bed.h"
#include "function/nat44/session_checks.h"

namespace packetwarp::test::nat44_changing_tests {
namespace {

// Changes of settings while the table is at work.
class nat44_changing : public testing::Test {
 protected:
  static void change(nat44_bed& bed, nat44_config const& wanted) {
    auto planned = bed.nat().plan_change(wanted);
    bed.nat().prepare(planned);
    bed.nat().publish(std::move(planned));
  }
  // Some seconds later.
  static void wait(nat44_bed& bed, std::uint32_t seconds) {
    for (std::uint32_t end = now_ + seconds; now_ < end;) {
      bed.nat().tick(++now_);
      bed.nat().maintain();
    }
  }
  void SetUp() override { now_ = 0; }
  static verdict send(nat44_bed& bed, std::string_view host, unsigned port) {
    auto packet = coming(inside, host, "192.0.2.9").udp(port, 53).build();
    return bed.process(packet, inside);
  }
  static nat44_config with_pool(std::initializer_list<std::string_view> addresses) {
    auto made = small_nat();
    made.pool.clear();
    for (auto const address : addresses) made.pool.push_back({ipv4(address), ipv4(address)});
    return made;
  }
  static void expect_sound(nat44_bed& bed, std::uint64_t live) {
    auto const tables = bed.nat().cpu();
    EXPECT_EQ(check_tables(tables, tables.bucket_mask + 1).live, live);
  }
  static std::string refusal(nat44_bed& bed, nat44_config const& wanted) {
    try {
      change(bed, wanted);
    } catch (usage_error const& error) {
      return error.what();
    }
    return "changed";
  }

 private:
  static inline std::uint32_t now_{};
};

TEST_F(nat44_changing, sessions_stay_where_the_pool_still_has_their_address) {
  nat44_bed bed{with_pool({"203.0.113.1"})};
  for (unsigned port = 4000; port < 4020; ++port) ASSERT_EQ(send(bed, "10.0.0.2", port), forwarded(outside));
  auto const before = bed.sessions();
  change(bed, with_pool({"203.0.113.7", "203.0.113.1", "203.0.113.9"}));
  EXPECT_EQ(bed.sessions(), before);
  wait(bed, 10);
  EXPECT_EQ(bed.sessions(), before);
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 4001).build(), inside,
                     leaving(inside, "192.0.2.9", "10.0.0.2").udp(53, 4001).build());
  expect_sound(bed, 20);
}

TEST_F(nat44_changing, sessions_of_an_address_that_is_gone_end_and_their_hosts_get_others) {
  nat44_bed bed{with_pool({"203.0.113.1"})};
  for (unsigned port = 4000; port < 4020; ++port) ASSERT_EQ(send(bed, "10.0.0.2", port), forwarded(outside));
  change(bed, with_pool({"203.0.113.7"}));
  // From outside, no session has the address any more, at once.
  expect_refusal(bed, outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 4001).build(), "no_session");
  wait(bed, 1);
  EXPECT_TRUE(bed.sessions().empty());
  expect_translation(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").udp(4001, 53).build(), outside,
                     leaving(outside, "203.0.113.7", "192.0.2.9").udp(4001, 53).build());
  wait(bed, 5);
  expect_sound(bed, 1);
}

TEST_F(nat44_changing, an_address_may_come_back_and_its_place_is_anothers_only_when_its_sessions_have_ended) {
  auto config = with_pool({"203.0.113.1"});
  config.address_room = 2;
  nat44_bed bed{config};
  ASSERT_EQ(send(bed, "10.0.0.2", 4000), forwarded(outside));
  auto const with_room = [&](std::initializer_list<std::string_view> addresses) { return with_pool(addresses); };
  change(bed, with_room({"203.0.113.2"}));
  EXPECT_NE(refusal(bed, with_room({"203.0.113.2", "203.0.113.3"})).find("try again"), std::string::npos);
  EXPECT_EQ(bed.nat().config().pool.size(), 1u) << "nothing is changed";
  wait(bed, 5);
  change(bed, with_room({"203.0.113.2", "203.0.113.3"}));
  change(bed, with_room({"203.0.113.2"}));
  change(bed, with_room({"203.0.113.2", "203.0.113.3"}));
  EXPECT_NE(refusal(bed, with_room({"203.0.113.2", "203.0.113.3", "203.0.113.4"})).find("room"), std::string::npos);
  EXPECT_EQ(send(bed, "10.0.0.2", 4000), forwarded(outside));
  expect_sound(bed, 1);
}

TEST_F(nat44_changing, pools_come_and_go_many_times) {
  nat44_bed bed{with_pool({"203.0.113.1"})};
  for (unsigned round = 0; round < repetitions(300U, 60); ++round) {
    auto config = with_pool({});
    auto const address = ipv4("198.18.0.0").number + round * 7;
    config.pool = {{{address}, {address + round % 5}}};
    change(bed, config);
    ASSERT_EQ(send(bed, round % 2 == 0 ? "10.0.0.2" : "10.0.0.3", 4000 + round), forwarded(outside));
    wait(bed, 4);
    ASSERT_EQ(bed.sessions().size(), 1u) << round;
  }
  expect_sound(bed, 1);
}

TEST_F(nat44_changing, port_forwards_begin_and_end) {
  nat44_bed bed;
  auto config = small_nat();
  config.port_forwards = {{nat::transport::udp, at("10.0.0.3", 53), at("203.0.113.1", 5353)},
                          {nat::transport::tcp, at("10.0.0.3", 80), at("203.0.113.77", 80)}};
  change(bed, config);
  wait(bed, 1);
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(9, 5353).build(), inside,
                     leaving(inside, "192.0.2.9", "10.0.0.3").udp(9, 53).build());
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.77").tcp(9, 80, 2).build(), inside,
                     leaving(inside, "192.0.2.9", "10.0.0.3").tcp(9, 80, 2).build());
  expect_sound(bed, 2);
  config.port_forwards.erase(config.port_forwards.begin());
  change(bed, config);
  wait(bed, 1);
  expect_refusal(bed, outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(9, 5353).build(), "no_session");
  wait(bed, 4);
  expect_sound(bed, 1);
  change(bed, small_nat());
  wait(bed, 5);
  expect_sound(bed, 0);
  // The port is a session's again; a port out of the range is not.
  EXPECT_TRUE(bed.nat().cpu().free_ports(nat::transport::udp, 0).is_free(5353));
  EXPECT_FALSE(bed.nat().cpu().free_ports(nat::transport::tcp, 1).is_free(80));
}

TEST_F(nat44_changing, sessions_make_way_for_a_port_forward) {
  nat44_bed bed;
  ASSERT_EQ(send(bed, "10.0.0.2", 5353), forwarded(outside));
  ASSERT_EQ(send(bed, "10.0.0.3", 53), forwarded(outside));
  auto config = small_nat();
  config.port_forwards = {{nat::transport::udp, at("10.0.0.3", 53), at("203.0.113.1", 5353)}};
  change(bed, config);
  wait(bed, 8);
  EXPECT_EQ(bed.sessions(), std::vector<std::string>{"udp 10.0.0.3:53 203.0.113.1:5353"});
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(9, 5353).build(), inside,
                     leaving(inside, "192.0.2.9", "10.0.0.3").udp(9, 53).build());
  EXPECT_EQ(send(bed, "10.0.0.2", 5353), forwarded(outside)) << "by another port";
  expect_sound(bed, 2);
}

TEST_F(nat44_changing, where_a_gpu_has_the_true_tables_the_hosts_wait_for_what_its_journal_says) {
  nat44_bed bed;
  ASSERT_EQ(send(bed, "10.0.0.2", 5353), forwarded(outside));
  auto config = small_nat();
  config.port_forwards = {{nat::transport::udp, at("10.0.0.3", 53), at("203.0.113.1", 5353)}};
  change(bed, config);
  auto const tables = bed.nat().cpu();
  auto const settle = [&] {
    return nat::settle_forward(tables, tables.rare->first_forward, nat::occupant::is_awaited, tables.now());
  };
  EXPECT_FALSE(settle());
  EXPECT_FALSE(settle());
  EXPECT_EQ(bed.sessions(), std::vector<std::string>{"udp 10.0.0.2:5353 203.0.113.1:5353"});
  // As the journal does it.
  auto const held = nat::find_inside(tables, nat::key_of(nat::transport::udp, at("10.0.0.2", 5353)));
  tables.index().remove(tables.hash(held.held.inside), held.number);
  nat::release(tables, held.number, held.held);
  EXPECT_TRUE(settle());
  EXPECT_EQ(bed.sessions(), std::vector<std::string>{"udp 10.0.0.3:53 203.0.113.1:5353"});
}

TEST_F(nat44_changing, static_addresses_begin_and_end_at_once) {
  nat44_bed bed;
  auto config = small_nat();
  config.static_addresses = {{ipv4("10.0.0.3"), ipv4("203.0.113.33")}};
  change(bed, config);
  expect_translation(bed, inside, coming(inside, "10.0.0.3", "192.0.2.9").udp(7, 53).build(), outside,
                     leaving(outside, "203.0.113.33", "192.0.2.9").udp(7, 53).build());
  config.static_addresses = {{ipv4("10.0.0.3"), ipv4("203.0.113.34")}, {ipv4("10.0.0.4"), ipv4("203.0.113.33")}};
  change(bed, config);
  expect_translation(bed, inside, coming(inside, "10.0.0.3", "192.0.2.9").udp(7, 53).build(), outside,
                     leaving(outside, "203.0.113.34", "192.0.2.9").udp(7, 53).build());
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.33").udp(53, 7).build(), inside,
                     leaving(inside, "192.0.2.9", "10.0.0.4").udp(53, 7).build());
  change(bed, small_nat());
  expect_translation(bed, inside, coming(inside, "10.0.0.3", "192.0.2.9").udp(4000, 53).build(), outside,
                     leaving(outside, "203.0.113.1", "192.0.2.9").udp(4000, 53).build());
  expect_refusal(bed, outside, coming(outside, "192.0.2.9", "203.0.113.33").udp(53, 7).build(), "no_session");
}

TEST_F(nat44_changing, timeouts_and_limits_hold_from_then_on) {
  nat44_bed bed;
  for (unsigned port = 4000; port < 4003; ++port) ASSERT_EQ(send(bed, "10.0.0.2", port), forwarded(outside));
  auto config = small_nat();
  config.timeouts.udp = 5;
  config.per_host = 2;
  change(bed, config);
  wait(bed, 6);
  EXPECT_TRUE(bed.sessions().empty());
  EXPECT_EQ(send(bed, "10.0.0.2", 5000), forwarded(outside));
  EXPECT_EQ(send(bed, "10.0.0.2", 5001), forwarded(outside));
  EXPECT_EQ(name_of(send(bed, "10.0.0.2", 5002)), "host_limit");
  config.per_host = 0;
  change(bed, config);
  EXPECT_EQ(send(bed, "10.0.0.2", 5002), forwarded(outside));
}

TEST_F(nat44_changing, filters_and_forwarding_hold_from_then_on) {
  nat44_bed bed;
  ASSERT_EQ(send(bed, "10.0.0.2", 4000), forwarded(outside));
  auto const answer = [](std::string_view from) { return coming(outside, from, "203.0.113.1").udp(53, 4000).build(); };
  auto packet = answer("192.0.2.77");
  EXPECT_EQ(bed.process(packet, outside), forwarded(inside));
  auto config = small_nat();
  config.filtering = nat::filtering::address_dependent;
  config.unmatched = nat::unmatched::forward;
  change(bed, config);
  expect_refusal(bed, outside, answer("192.0.2.9"), "filtered");
  ASSERT_EQ(send(bed, "10.0.0.2", 4000), forwarded(outside)) << "it sends there again";
  packet = answer("192.0.2.9");
  EXPECT_EQ(bed.process(packet, outside), forwarded(inside));
  expect_refusal(bed, outside, answer("192.0.2.77"), "filtered");
  auto routed = coming(outside, "192.0.2.9", "10.0.0.2").udp(1, 2).build();
  EXPECT_EQ(bed.process(routed, outside), forwarded(inside));
}

TEST_F(nat44_changing, what_makes_no_sense_or_has_no_room_changes_nothing) {
  nat44_bed bed;
  auto wrong = small_nat();
  wrong.timeouts.udp = 0;
  EXPECT_NE(refusal(bed, wrong).find("timeout udp"), std::string::npos);
  auto many = small_nat();
  for (std::uint16_t port = 1; port <= 100; ++port) {
    many.port_forwards.push_back({nat::transport::udp, at("10.0.0.3", port), at("203.0.113.1", port)});
  }
  EXPECT_NE(refusal(bed, many).find("100 are more than the 64"), std::string::npos);
  auto twice = small_nat();
  twice.port_forwards.assign(2, {nat::transport::udp, at("10.0.0.3", 1), at("203.0.113.1", 1)});
  EXPECT_NE(refusal(bed, twice).find("given twice"), std::string::npos);
  EXPECT_EQ(bed.nat().config().timeouts.udp, 300u);
  EXPECT_TRUE(bed.nat().config().port_forwards.empty());
}

TEST(address_words, find_what_was_set_last_however_often_it_changes) {
  nat::address_words words{64};
  std::vector<std::uint64_t> map(64);
  std::map<std::uint32_t, std::uint32_t> wanted;
  std::uint64_t random = 1;
  auto const next = [&] { return random = nat::mix(random + 1); };
  for (int round = 0; round < repetitions(20'000, 3'000); ++round) {
    std::uint32_t const address = 1 + static_cast<std::uint32_t>(next() % 200);
    if (wanted.contains(address)) {
      words.erase({address});
      wanted.erase(address);
    } else if (wanted.size() < 32) {
      std::uint32_t const value = 1 + static_cast<std::uint32_t>(next() % 1000);
      if (words.set({address}, value)) wanted[address] = value;
    }
    for (auto const& edit : words.take_edits()) map[edit.at] = edit.word;
    nat::address_map const found{map.data(), 63};
    for (std::uint32_t n = 1; n <= 200; ++n) ASSERT_EQ(found.find({n}), wanted.contains(n) ? wanted[n] : 0) << round;
  }
  EXPECT_GT(wanted.size(), 8u);
}

}  // namespace
}  // namespace packetwarp::test::nat44_changing_tests
