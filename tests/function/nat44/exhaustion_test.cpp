// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "fixtures/repetitions.h"
#include "function/nat44/nat44_bed.h"
#include "function/nat44/packet/translate.h"
#include "function/nat44/session/find_session.h"
#include "function/nat44/session_checks.h"

// Attacks on the resources that sessions share, while a stranger's flows go on. Both are inside; the attacker may forge
// its address.
namespace packetwarp::test::nat44_exhaustion_tests {
namespace {

// The defaults of run, and one outside address.
nat44_config by_default() {
  auto made = small_nat();
  made.per_host = made.per_prefix = nat44_config::by_default;
  made.sessions = 65536;
  return made;
}

class nat44_exhaustion : public testing::Test {
 protected:
  void begin(nat44_config const& config) {
    table_.emplace(config);
    table_->tick(0);
  }
  [[nodiscard]] nat44_ref tables() { return table_->cpu(); }

  // A packet of a host's that leaves, to a server.
  nat::fault send(nat::transport kind, nat::endpoint from, std::uint8_t flags = syn,
                  std::string_view to = "192.0.2.9") {
    auto const outward =
        nat::translate_source(tables(), flow_of(kind, from, at(to, 443), flags), static_cast<std::uint32_t>(outside));
    last_ = outward.to;
    return outward.wrong;
  }
  // The server's answer to the last one.
  nat::fault answer(nat::transport kind, std::string_view from = "192.0.2.9") {
    auto const where = tables().outside_addresses.find(last_.address);
    auto const flow = flow_of(kind, at(from, 443), last_, syn_ack);
    auto const inward = nat::translate_destination(tables(), flow, where, nat::filter_turn::at_once);
    if (inward.wrong == nat::fault::none) nat::track_inward(tables(), flow, inward.found, flow.source);
    return inward.wrong;
  }
  // Opens a stranger's flow: it begins, is answered, and is remembered.
  bool open(nat::transport kind) {
    nat::endpoint const host{ipv4("172.16.0.2"), static_cast<std::uint16_t>(10'000 + strangers_.size())};
    if (send(kind, host) != nat::fault::none || answer(kind) != nat::fault::none) return false;
    strangers_.push_back({kind, host, last_});
    return true;
  }
  // The number of open flows that still have the same outside endpoint.
  [[nodiscard]] std::size_t still_there() {
    std::size_t all = 0;
    for (auto const& one : strangers_) {
      all += send(one.kind, one.inside, ack) == nat::fault::none && last_ == one.outside;
    }
    return all;
  }
  // Sends `count` packets of the attacker's, each from the endpoint that `from` gives; among them a stranger begins
  // flows. Returns the fates of the attacker's packets.
  template <class From>
  std::map<nat::fault, unsigned> flood(unsigned packets, nat::transport kind, From&& from) {
    std::map<nat::fault, unsigned> became;
    for (unsigned n = 0; n < packets; ++n) {
      ++became[send(kind, from(n))];
      if (n % 1000 != 999) continue;
      asked_ += 2;
      opened_ += open(nat::transport::tcp);
      opened_ += open(nat::transport::udp);
    }
    return became;
  }
  // The sessions that live, of inside hosts with this prefix and of one protocol, or of all.
  [[nodiscard]] unsigned living(std::string_view network, unsigned length,
                                std::optional<nat::transport> kind = std::nullopt) {
    auto const mask = ~std::uint32_t{0} << (32 - length);
    unsigned all = 0;
    for (std::uint32_t number = 1; number < tables().rare->first_forward; ++number) {
      auto const& held = tables().sessions[number];
      bool const is_in = (nat::endpoint_of(held.inside).address.number & mask) == ipv4(network).number;
      bool const is_of = !kind || nat::transport_of(held.inside) == *kind;
      all += nat::life{held.life}.is_live() && is_in && is_of;
    }
    return all;
  }
  void expect_strangers_unharmed() {
    EXPECT_GE(opened_ * 100, asked_ * 95);
    EXPECT_EQ(still_there(), strangers_.size());
  }

  static nat::flow flow_of(nat::transport kind, nat::endpoint from, nat::endpoint to, std::uint8_t flags) {
    nat::flow made{.source = from, .destination = to};
    made.kind = kind;
    made.held_by = kind == nat::transport::tcp ? nat::carrier::tcp : nat::carrier::udp;
    made.tcp_flags = flags;
    return made;
  }

  static constexpr std::uint8_t syn = 0x02, ack = 0x10, syn_ack = 0x12;
  struct stranger {
    nat::transport kind;
    nat::endpoint inside;
    nat::endpoint outside;
  };
  std::optional<nat44_table> table_;
  nat::endpoint last_;
  std::vector<stranger> strangers_;
  unsigned asked_{};
  unsigned opened_{};
};

nat::endpoint one_host(unsigned n) { return {ipv4("10.0.0.66"), static_cast<std::uint16_t>(1 + n % 65535)}; }
nat::endpoint one_network(unsigned n) {
  return {{ipv4("10.0.0.0").number + n % 256}, static_cast<std::uint16_t>(1 + n / 256)};
}
nat::endpoint anywhere(unsigned n) { return {{ipv4("10.0.0.0").number + n * 263}, 4000}; }

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

// Among the strangers are hosts of the same network: a network with its share makes room of its own.
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

// A RST belongs to no connection that lives.
TEST_F(nat44_exhaustion, a_flood_of_resets_makes_room_for_itself_and_for_others) {
  constexpr std::uint8_t rst = 0x04;
  auto config = by_default();
  config.per_host = config.per_prefix = 0;
  config.sessions = 4096;
  begin(config);
  for (unsigned n = 0; n < 20'000; ++n) {
    ASSERT_EQ(send(nat::transport::tcp, anywhere(n), rst), nat::fault::none);
    if (n % 1000 == 999) ASSERT_TRUE(open(nat::transport::tcp) && open(nat::transport::udp));
  }
  expect_strangers_unharmed();
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

// A sweep has not reached them yet.
TEST_F(nat44_exhaustion, sessions_whose_time_is_over_make_room_at_once) {
  auto config = small_nat();
  config.sessions = 100;
  begin(config);
  for (unsigned n = 0; n < 100; ++n) ASSERT_TRUE(open(nat::transport::udp));
  ASSERT_EQ(send(nat::transport::udp, anywhere(1)), nat::fault::table_full);
  table_->tick(300);
  for (unsigned n = 0; n < 50; ++n) {
    ASSERT_EQ(send(nat::transport::udp, anywhere(n)), nat::fault::none);
    ASSERT_EQ(answer(nat::transport::udp), nat::fault::none);
  }
  check_tables(tables(), tables().bucket_mask + 1);
}

// This includes sessions that a sweep has ended but not given back yet, and finds each of them.
TEST_F(nat44_exhaustion, a_full_table_of_sessions_whose_time_is_over_makes_room_for_as_many) {
  auto config = small_nat();
  config.sessions = 255;
  for (bool const is_swept : {false, true}) {
    begin(config);
    strangers_.clear();
    for (unsigned n = 0; n < 255; ++n) ASSERT_TRUE(open(nat::transport::udp));
    table_->tick(300);
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
    table_->tick(300);
    if (is_swept) table_->maintain();
    for (unsigned n = 0; n < 255; ++n) {
      ASSERT_EQ(send(nat::transport::udp, anywhere(n)), nat::fault::none) << n << (is_swept ? " swept" : "");
      ASSERT_EQ(answer(nat::transport::udp), nat::fault::none);
    }
    EXPECT_EQ(send(nat::transport::udp, anywhere(1000)), nat::fault::no_port);
    check_tables(tables(), tables().bucket_mask + 1);
  }
}

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

// The table and the remotes are as many: a new session ends another one, and needs a remote that no session lacks.
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
  table_->tick(300);
  unsigned opened = 0;
  for (unsigned n = 0; n < 50; ++n) opened += open(nat::transport::udp);
  EXPECT_GT(opened, 30u) << "among so few, some see only what is new";
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
