// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "exhaustion_bed.h"
#include "fixtures/repetitions.h"
#include "function/nat44/session_checks.h"

// Remote endpoints, for filters, that have run out.
namespace packetwarp::test::nat44_exhaustion_tests {
namespace {

TEST_F(nat44_exhaustion, one_hosts_remotes_are_a_quarter_of_all_and_leave_the_others) {
  auto config = by_default();
  config.filtering = nat::filtering::address_dependent;
  config.remotes = 4000;
  config.per_host = config.per_prefix = 500;
  begin(config);
  std::map<nat::fault, unsigned> became;
  for (unsigned n = 0; n < 20'000; ++n) {
    ++became[send(nat::transport::udp, one_host(1), 0, wire::to_text(wire::ipv4_address{0xc600'0000 + n}))];
    if (n % 100 != 99) continue;
    ASSERT_TRUE(open(nat::transport::udp));
  }
  EXPECT_EQ(became[nat::fault::none], 1000u);
  EXPECT_EQ(became[nat::fault::remote_limit], 19'000u);
  expect_strangers_unharmed();
}

TEST_F(nat44_exhaustion, a_flood_that_has_every_remote_makes_room_for_itself_and_for_others) {
  auto config = by_default();
  config.per_host = config.per_prefix = 0;
  config.sessions = 4096;
  config.remotes = 4096;
  config.filtering = nat::filtering::address_dependent;
  begin(config);
  auto const became = flood(repetitions(60'000U, 20'000), nat::transport::tcp, anywhere);
  EXPECT_EQ(became.count(nat::fault::remotes_full), 0u);
  expect_strangers_unharmed();
  check_tables(tables(), tables().bucket_mask + 1);
}

TEST_F(nat44_exhaustion, a_packet_without_a_remote_makes_no_session) {
  auto config = small_nat();
  config.filtering = nat::filtering::address_dependent;
  config.remotes = 100;
  begin(config);
  for (unsigned n = 0; n < 100; ++n) ASSERT_TRUE(open(nat::transport::udp));
  for (unsigned n = 0; n < 50; ++n) {
    ASSERT_EQ(send(nat::transport::udp, anywhere(n)), nat::fault::remotes_full);
    ASSERT_EQ(send(nat::transport::tcp, anywhere(n)), nat::fault::remotes_full);
  }
  EXPECT_EQ(living("0.0.0.0", 1), 0u);
  EXPECT_EQ(still_there(), 100u);
  check_tables(tables(), tables().bucket_mask + 1);
}

TEST_F(nat44_exhaustion, remotes_of_sessions_that_have_gone_make_room_at_once) {
  auto config = small_nat();
  config.filtering = nat::filtering::address_dependent;
  config.remotes = 100;
  begin(config);
  for (unsigned n = 0; n < 100; ++n) ASSERT_TRUE(open(nat::transport::udp));
  ASSERT_EQ(send(nat::transport::udp, anywhere(1)), nat::fault::remotes_full);
  table_->tick(301);
  unsigned opened = 0;
  for (unsigned n = 0; n < 50; ++n) opened += open(nat::transport::udp);
  EXPECT_GT(opened, 30u) << "among so few, some see only what is new";
}

}  // namespace
}  // namespace packetwarp::test::nat44_exhaustion_tests
