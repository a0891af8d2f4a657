// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "exhaustion_bed.h"
#include "fixtures/repetitions.h"
#include "function/nat44/session_checks.h"

// The shares of a host and of a prefix.
namespace packetwarp::test::nat44_exhaustion_tests {
namespace {

TEST_F(nat44_exhaustion, one_host_takes_a_quarter_of_its_addresses_ports_and_leaves_the_others) {
  begin(by_default());
  auto const became = flood(65'000, nat::transport::udp, one_host);
  EXPECT_EQ(became.at(nat::fault::none), 64'512u / 4);
  EXPECT_EQ(became.at(nat::fault::host_limit), 65'000u - 64'512 / 4);
  EXPECT_EQ(opened_, asked_);
  expect_strangers_unharmed();
}

TEST_F(nat44_exhaustion, the_forged_sources_of_one_network_take_half_and_leave_the_others) {
  begin(by_default());
  auto const became = flood(100'000, nat::transport::udp, one_network);
  EXPECT_EQ(living("10.0.0.0", 24), 64'512u / 2) << "of the ports of UDP";
  EXPECT_GT(became.at(nat::fault::none), 90'000u) << "each takes the place of one before it";
  EXPECT_EQ(became.at(nat::fault::none) + became.at(nat::fault::prefix_limit), 100'000u);
  EXPECT_EQ(opened_, asked_);
  expect_strangers_unharmed();
  flood(10'000, nat::transport::tcp, one_network);
  EXPECT_EQ(living("10.0.0.0", 24), 65'536u / 2) << "half of the sessions, of all protocols";
  check_tables(tables(), tables().bucket_mask + 1);
}

TEST_F(nat44_exhaustion, a_flood_of_its_own_network_leaves_a_host_its_flows_and_new_ones) {
  for (auto const kind : {nat::transport::tcp, nat::transport::udp}) {
    begin(by_default());
    nat::endpoint const host{ipv4("10.0.0.250"), 7000};
    ASSERT_EQ(send(kind, host), nat::fault::none);
    ASSERT_EQ(answer(kind), nat::fault::none);
    auto const first = last_;
    flood(repetitions(100'000U, 60'000), kind, one_network);
    unsigned opened = 0;
    for (std::uint16_t n = 0; n < 100; ++n) {
      bool const is_sent = send(kind, {host.address, static_cast<std::uint16_t>(8000 + n)}) == nat::fault::none;
      opened += is_sent && answer(kind) == nat::fault::none;
      flood(10, kind, one_network);
    }
    EXPECT_GT(opened, 85u);
    EXPECT_EQ(send(kind, host, ack), nat::fault::none);
    EXPECT_EQ(last_, first);
    EXPECT_LE(living("10.0.0.0", 24), 65'536u / 2);
    check_tables(tables(), tables().bucket_mask + 1);
  }
}

TEST_F(nat44_exhaustion, the_forged_sources_of_one_network_take_half_of_an_outside_address_that_they_aim_at) {
  auto config = by_default();
  config.pool = {{ipv4("203.0.113.1"), ipv4("203.0.113.4")}};
  config.sessions = 1U << 18;
  begin(config);
  // Only sources with the stranger's address.
  ASSERT_TRUE(open(nat::transport::udp));
  auto const wanted = last_.address;
  std::vector<nat::endpoint> aimed;
  for (unsigned n = 0; n < 256; ++n) {
    ASSERT_EQ(send(nat::transport::icmp, one_network(n)), nat::fault::none);
    if (last_.address == wanted) aimed.push_back(one_network(n));
  }
  ASSERT_GT(aimed.size(), 16u);
  flood(70'000, nat::transport::udp, [&](unsigned n) {
    auto host = aimed[n % aimed.size()];
    host.port = static_cast<std::uint16_t>(1 + n / aimed.size());
    return host;
  });
  EXPECT_EQ(living("10.0.0.0", 24, nat::transport::udp), 64'512u / 2);
  expect_strangers_unharmed();
}

TEST_F(nat44_exhaustion, shares_are_given_back_and_are_others_then) {
  auto config = by_default();
  config.per_host = 100;
  config.per_prefix = 150;
  begin(config);
  for (unsigned round = 0; round < 3; ++round) {
    auto const first = flood(500, nat::transport::udp, one_host);
    EXPECT_EQ(first.at(nat::fault::none), 100u);
    EXPECT_EQ(first.at(nat::fault::host_limit), 400u);
    flood(500, nat::transport::tcp, one_network);
    EXPECT_EQ(living("10.0.0.0", 24), 150u);
    for (std::uint32_t later : {400u, 410u}) {
      table_->tick(1000 * round + later);
      table_->maintain(100'000);
    }
  }
  auto const& rare = *tables().rare;
  for (std::uint32_t i = 0; i < rare.share_lines * nat::words_in_line; ++i) {
    ASSERT_EQ(rare.shares[i] & nat::share_counter::count_bits, 0u);
  }
}

TEST_F(nat44_exhaustion, shares_may_be_set_and_switched_off) {
  auto config = by_default();
  config.per_host = 0;
  begin(config);
  flood(40'000, nat::transport::udp, one_host);
  EXPECT_EQ(living("10.0.0.66", 32), 64'512u / 2) << "the prefix's remains";
  config.per_prefix = 0;
  begin(config);
  EXPECT_EQ(flood(40'000, nat::transport::udp, one_host).at(nat::fault::none), 40'000u);
  config.per_prefix = 10;
  config.share_prefix = 16;
  begin(config);
  flood(40'000, nat::transport::udp, [](unsigned n) { return nat::endpoint{{ipv4("10.0.0.0").number + n}, 1000}; });
  EXPECT_EQ(living("10.0.0.0", 16), 10u);
}

TEST(nat44_shares, that_make_no_sense_are_refused) {
  auto const refusal = [](auto&& change) -> std::string {
    auto config = by_default();
    change(config);
    try {
      nat::check(config);
    } catch (usage_error const& wrong) {
      return wrong.what();
    }
    return "";
  };
  EXPECT_EQ(refusal([](auto& c) { c.share_prefix = 0; }),
            "nat44 share_prefix: 0 is no prefix length of 1 to 32, such as 24");
  EXPECT_EQ(refusal([](auto& c) { c.share_prefix = 33; }),
            "nat44 share_prefix: 33 is no prefix length of 1 to 32, such as 24");
  EXPECT_NE(refusal([](auto& c) { c.per_prefix = 1U << 25; }), "");
  EXPECT_NE(refusal([](auto& c) { c.per_host = 200, c.per_prefix = 100; }), "");
  EXPECT_EQ(refusal([](auto& c) { c.per_host = 200, c.per_prefix = 0; }), "");
}

}  // namespace
}  // namespace packetwarp::test::nat44_exhaustion_tests
