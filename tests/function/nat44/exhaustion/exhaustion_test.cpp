// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "exhaustion_bed.h"
#include "fixtures/repetitions.h"
#include "function/nat44/session_checks.h"

// Sessions that make room for others when records or ports have run out.
namespace packetwarp::test::nat44_exhaustion_tests {
namespace {

TEST_F(nat44_exhaustion, a_flood_of_resets_makes_room_for_itself_and_for_others) {
  constexpr std::uint8_t rst = 0x04;
  auto config = by_default();
  config.per_host = config.per_prefix = 0;
  config.sessions = 4096;
  begin(config);
  for (unsigned n = 0; n < 20'000; ++n) {
    ASSERT_EQ(send(nat::transport::tcp, anywhere(n), rst), nat::fault::none);
    if (n % 1000 == 999) {
      ASSERT_TRUE(open(nat::transport::tcp) && open(nat::transport::udp));
    }
  }
  expect_strangers_unharmed();
}

TEST_F(nat44_exhaustion, a_flood_of_syns_from_anywhere_makes_room_for_itself_and_for_others) {
  begin(by_default());
  auto const packets = repetitions(300'000U, 120'000);
  auto const became = flood(packets, nat::transport::tcp, anywhere);
  EXPECT_GT(became.at(nat::fault::none), packets - 10'000) << "each takes the place of one before it";
  expect_strangers_unharmed();
  table_->maintain(1);
  EXPECT_GT(table_->counts_but_live().evicted, packets - 100'000);
  auto const facts = check_tables(tables(), tables().bucket_mask + 1);
  EXPECT_EQ(facts.live + facts.free_sessions, 65536u);
}

TEST_F(nat44_exhaustion, a_flood_of_udp_from_anywhere_makes_room_for_itself_and_for_others) {
  begin(by_default());
  flood(repetitions(300'000U, 120'000), nat::transport::udp, anywhere);
  expect_strangers_unharmed();
}

TEST_F(nat44_exhaustion, a_flood_that_has_every_port_makes_room_for_itself_and_for_others) {
  auto config = by_default();
  config.first_port = 2000;
  config.last_port = 5999;
  begin(config);
  auto const packets = repetitions(100'000U, 40'000);
  flood(packets, nat::transport::tcp, anywhere);
  flood(packets, nat::transport::udp, anywhere);
  expect_strangers_unharmed();
  check_tables(tables(), tables().bucket_mask + 1);
}

TEST_F(nat44_exhaustion, what_is_established_or_answered_makes_room_for_nothing) {
  auto config = small_nat();
  config.sessions = 100;
  begin(config);
  for (unsigned n = 0; n < 50; ++n) ASSERT_TRUE(open(nat::transport::tcp) && open(nat::transport::udp));
  for (unsigned n = 0; n < 5000; ++n) ASSERT_EQ(send(nat::transport::tcp, anywhere(n)), nat::fault::table_full);
  EXPECT_EQ(still_there(), 100u);
}

TEST_F(nat44_exhaustion, a_flow_that_goes_one_way_only_stays_while_it_is_sent) {
  auto config = small_nat();
  config.sessions = 100;
  begin(config);
  auto const all = [&] {
    unsigned forwarded = 0;
    for (unsigned n = 0; n < 100; ++n) forwarded += send(nat::transport::udp, one_network(n)) == nat::fault::none;
    return forwarded;
  };
  ASSERT_EQ(all(), 100u);
  for (std::uint32_t second : {20u, 40u, 60u}) {
    table_->tick(second);
    ASSERT_EQ(all(), 100u);
    for (unsigned n = 0; n < 100; ++n) ASSERT_EQ(send(nat::transport::udp, anywhere(n)), nat::fault::table_full);
  }
  table_->tick(90);
  EXPECT_EQ(send(nat::transport::udp, anywhere(1)), nat::fault::none) << "after thirty seconds without a packet";
}

TEST_F(nat44_exhaustion, sessions_whose_time_is_over_make_room_at_once) {
  auto config = small_nat();
  config.sessions = 100;
  begin(config);
  for (unsigned n = 0; n < 100; ++n) ASSERT_TRUE(open(nat::transport::udp));
  ASSERT_EQ(send(nat::transport::udp, anywhere(1)), nat::fault::table_full);
  table_->tick(301);
  for (unsigned n = 0; n < 50; ++n) {
    ASSERT_EQ(send(nat::transport::udp, anywhere(n)), nat::fault::none);
    ASSERT_EQ(answer(nat::transport::udp), nat::fault::none);
  }
  check_tables(tables(), tables().bucket_mask + 1);
}

TEST_F(nat44_exhaustion, a_full_table_of_sessions_whose_time_is_over_makes_room_for_as_many) {
  auto config = small_nat();
  config.sessions = 255;
  for (bool const is_swept : {false, true}) {
    begin(config);
    strangers_.clear();
    for (unsigned n = 0; n < 255; ++n) ASSERT_TRUE(open(nat::transport::udp));
    table_->tick(301);
    if (is_swept) table_->maintain();
    for (unsigned n = 0; n < 255; ++n) {
      ASSERT_EQ(send(nat::transport::udp, anywhere(n)), nat::fault::none) << n << (is_swept ? " swept" : "");
      ASSERT_EQ(answer(nat::transport::udp), nat::fault::none);
    }
    EXPECT_EQ(send(nat::transport::udp, anywhere(1000)), nat::fault::table_full);
    check_tables(tables(), tables().bucket_mask + 1);
  }
}

TEST_F(nat44_exhaustion, and_so_does_an_address_whose_ports_are_all_taken) {
  auto config = small_nat();
  config.first_port = 2001;
  config.last_port = 2255;
  for (bool const is_swept : {false, true}) {
    begin(config);
    strangers_.clear();
    for (unsigned n = 0; n < 255; ++n) ASSERT_TRUE(open(nat::transport::udp));
    table_->tick(301);
    if (is_swept) table_->maintain();
    for (unsigned n = 0; n < 255; ++n) {
      ASSERT_EQ(send(nat::transport::udp, anywhere(n)), nat::fault::none) << n << (is_swept ? " swept" : "");
      ASSERT_EQ(answer(nat::transport::udp), nat::fault::none);
    }
    EXPECT_EQ(send(nat::transport::udp, anywhere(1000)), nat::fault::no_port);
    check_tables(tables(), tables().bucket_mask + 1);
  }
}

}  // namespace
}  // namespace packetwarp::test::nat44_exhaustion_tests
