// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/nat44/session/connections.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include "function/nat44/nat44_bed.h"

// TCP connections under a mapping (RFC 5382, REQ-5; RFC 6146, 3.5.2.2; RFC 7857, 2.2): the segments that shorten the
// time that a mapping lasts, and the ones that do not.
namespace packetwarp::test::nat44_connections_tests {
namespace {

constexpr unsigned syn = 0x02, syn_ack = 0x12, ack = 0x10, fin_ack = 0x11, rst = 0x04;
constexpr std::string_view first_server = "192.0.2.9", second_server = "192.0.2.10", stranger = "198.18.0.66";

class nat44_connections : public testing::Test {
 protected:
  explicit nat44_connections(nat44_config const& config = small_nat()) : bed_{config} {}
  void out(std::string_view to, unsigned flags, unsigned port = 80) { out_of(bed_, to, flags, port); }
  void in(std::string_view from, unsigned flags, unsigned port = 80) {
    auto packet = coming(outside, from, "203.0.113.1").tcp(port, 4000, flags).build();
    ASSERT_EQ(bed_.process(packet, outside), forwarded(inside)) << "every segment is translated";
  }
  static void out_of(nat44_bed& bed, std::string_view to, unsigned flags, unsigned port = 80) {
    auto packet = coming(inside, "10.0.0.2", to).tcp(4000, port, flags).build();
    ASSERT_EQ(bed.process(packet, inside), forwarded(outside));
  }
  void open(std::string_view server, unsigned port = 80) {
    out(server, syn, port);
    in(server, syn_ack, port);
    out(server, ack, port);
  }
  void close(std::string_view server, unsigned port = 80) {
    out(server, fin_ack, port);
    in(server, fin_ack, port);
    out(server, ack, port);
  }
  // Whether the mapping outlives this many seconds without a packet.
  bool outlives(std::uint32_t seconds) { return outlives(bed_, seconds); }
  bool outlives(nat44_bed& bed, std::uint32_t seconds) {
    now_ += seconds;
    bed.nat().tick(now_);
    bed.nat().maintain();
    return bed.sessions().size() == 1;
  }
  bool is_transitory() { return outlives(240) && !outlives(1); }
  bool is_established() { return outlives(7440); }

  nat44_bed bed_;
  std::uint32_t now_{};
};

TEST_F(nat44_connections, a_reset_from_any_other_endpoint_changes_nothing) {
  open(first_server);
  in(stranger, rst);
  in(first_server, rst, 81);
  in(stranger, rst | ack);
  EXPECT_TRUE(is_established());
}

TEST_F(nat44_connections, a_reset_to_any_other_endpoint_changes_nothing) {
  open(first_server);
  in(stranger, syn);
  out(stranger, rst | ack);
  EXPECT_TRUE(is_established());
}

TEST_F(nat44_connections, a_fin_from_any_other_endpoint_changes_nothing) {
  open(first_server);
  in(stranger, fin_ack);
  out(first_server, fin_ack);
  EXPECT_TRUE(is_established()) << "half closed";
}

TEST_F(nat44_connections, the_end_of_one_of_several_leaves_the_others) {
  open(first_server);
  open(second_server);
  open(second_server, 443);
  close(first_server);
  in(second_server, rst);
  ASSERT_TRUE(is_established());
  in(second_server, ack, 443);
  close(second_server, 443);
  EXPECT_TRUE(is_transitory()) << "that was the last";
}

TEST_F(nat44_connections, a_connection_that_was_only_asked_for_keeps_nothing) {
  open(first_server);
  out(second_server, syn);
  close(first_server);
  EXPECT_TRUE(is_transitory());
}

TEST_F(nat44_connections, a_reset_of_the_only_connection_leaves_four_minutes) {
  open(first_server);
  in(first_server, rst);
  EXPECT_TRUE(is_transitory());
}

TEST_F(nat44_connections, data_of_a_connection_that_was_reset_brings_it_back) {
  for (auto const way : {nat::direction::out, nat::direction::in}) {
    open(first_server);
    in(first_server, rst);
    way == nat::direction::out ? out(first_server, ack) : in(first_server, ack);
    ASSERT_TRUE(is_established());
    in(first_server, rst);
  }
  in(stranger, ack);
  EXPECT_TRUE(is_transitory()) << "a stranger's data does not";
}

TEST_F(nat44_connections, what_comes_after_both_sides_have_closed_brings_nothing_back) {
  open(first_server);
  close(first_server);
  out(first_server, ack);
  in(first_server, fin_ack);
  out(first_server, ack);
  EXPECT_TRUE(is_transitory());
}

TEST_F(nat44_connections, a_new_connection_between_the_same_endpoints_is_one) {
  open(first_server);
  close(first_server);
  open(first_server);
  ASSERT_TRUE(is_established());
  close(first_server);
  EXPECT_TRUE(is_transitory());
}

TEST_F(nat44_connections, a_connection_that_began_outside_counts_when_inside_has_answered) {
  open(first_server);
  in(second_server, syn);
  close(first_server);
  in(second_server, syn);
  out(second_server, syn_ack);
  in(second_server, ack);
  ASSERT_TRUE(is_established());
  close(second_server);
  EXPECT_TRUE(is_transitory());
}

TEST_F(nat44_connections, both_sides_may_open_at_once) {
  out(first_server, syn);
  in(first_server, syn);
  ASSERT_TRUE(is_established());
  close(first_server);
  EXPECT_TRUE(is_transitory());
}

TEST_F(nat44_connections, nothing_that_a_stranger_sends_makes_a_mapping_established) {
  out(first_server, syn);
  for (unsigned const flags : {syn, syn_ack, ack, fin_ack}) in(stranger, flags);
  EXPECT_TRUE(is_transitory());
}

TEST_F(nat44_connections, one_that_was_there_before_the_mapping_keeps_it) {
  out(first_server, ack);
  in(first_server, ack);
  open(second_server);
  close(second_server);
  in(stranger, rst);
  EXPECT_TRUE(is_established()) << "which connections there are is not known";
}

TEST_F(nat44_connections, one_whose_answers_go_another_way_is_looked_for_once) {
  out(first_server, syn);
  out(first_server, ack);
  auto const tables = bed_.nat().cpu();
  auto const found = nat::find_inside(tables, nat::key_of(nat::transport::tcp, at("10.0.0.2", 4000)));
  EXPECT_TRUE(nat::is_settled(nat::life{found.held.life}.tcp(), ack, nat::direction::out));
}

TEST_F(nat44_connections, of_an_established_mapping_are_not_looked_for_by_data) {
  open(first_server);
  auto const tables = bed_.nat().cpu();
  auto const found = nat::find_inside(tables, nat::key_of(nat::transport::tcp, at("10.0.0.2", 4000)));
  nat::life const life{found.held.life};
  EXPECT_EQ(life.connections(), 1u);
  EXPECT_TRUE(nat::is_settled(life.tcp(), ack, nat::direction::out));
  EXPECT_TRUE(nat::is_settled(life.tcp(), ack, nat::direction::in));
}

TEST_F(nat44_connections, a_port_forward_has_none) {
  auto config = small_nat();
  config.port_forwards = {{nat::transport::tcp, at("10.0.0.3", 80), at("203.0.113.1", 8080)}};
  nat44_bed bed{config};
  auto packet = coming(outside, stranger, "203.0.113.1").tcp(5555, 8080, ack).build();
  ASSERT_EQ(bed.process(packet, outside), forwarded(inside));
  auto const found = nat::find_inside(bed.nat().cpu(), nat::key_of(nat::transport::tcp, at("10.0.0.3", 80)));
  EXPECT_TRUE(nat::is_settled(nat::life{found.held.life}.tcp(), syn, nat::direction::in));
  EXPECT_TRUE(nat::is_settled(nat::life{found.held.life}.tcp(), ack, nat::direction::out));
}

// 10.0.0.2:4000 and 10.1.0.2:5000 meet by their outside endpoints; each has sent to a server before.
TEST_F(nat44_connections, of_hosts_that_meet_by_outside_addresses_are_known_by_these) {
  auto const hairpin = [this](interface_index from, unsigned flags) {
    auto packet = from == inside ? coming(inside, "10.0.0.2", "203.0.113.1").tcp(4000, 5000, flags).build()
                                 : coming(inside_too, "10.1.0.2", "203.0.113.1").tcp(5000, 4000, flags).build();
    ASSERT_EQ(bed_.process(packet, from), forwarded(from == inside ? inside_too : inside));
  };
  auto other = coming(inside_too, "10.1.0.2", first_server).tcp(5000, 80, syn).build();
  ASSERT_EQ(bed_.process(other, inside_too), forwarded(outside));
  hairpin(inside, syn);
  hairpin(inside_too, syn_ack);
  hairpin(inside, ack);
  now_ = 7439;
  bed_.nat().tick(now_);
  bed_.nat().maintain();
  ASSERT_EQ(bed_.sessions().size(), 2u);
  hairpin(inside, fin_ack);
  hairpin(inside_too, fin_ack);
  hairpin(inside, ack);
  bed_.nat().tick(now_ += 241);
  bed_.nat().maintain();
  EXPECT_EQ(bed_.sessions().size(), 0u);
}

// A line of eight, and no other.
class nat44_few_connections : public nat44_connections {
 protected:
  nat44_few_connections() : nat44_connections{four_sessions()} {}
  static nat44_config four_sessions() {
    auto config = small_nat();
    config.sessions = 4;
    return config;
  }
  [[nodiscard]] std::uint64_t untracked() {
    bed_.nat().maintain();
    return bed_.nat().counts().untracked;
  }
};

TEST_F(nat44_few_connections, one_that_finds_no_room_keeps_its_mapping) {
  for (unsigned port = 80; port < 89; ++port) open(first_server, port);
  for (unsigned port = 80; port < 89; ++port) close(first_server, port);
  EXPECT_EQ(untracked(), 1u);
  EXPECT_TRUE(is_established());
}

TEST_F(nat44_few_connections, those_that_are_over_make_room) {
  for (unsigned port = 80; port < 180; ++port) {
    open(first_server, port);
    close(first_server, port);
  }
  EXPECT_EQ(untracked(), 0u);
  EXPECT_TRUE(is_transitory());
}

TEST_F(nat44_few_connections, those_of_mappings_that_have_ended_make_room) {
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned port = 80; port < 88; ++port) open(first_server, port);
    ASSERT_TRUE(is_established());
    ASSERT_FALSE(outlives(1));
    ASSERT_FALSE(outlives(2));
  }
  EXPECT_EQ(untracked(), 0u);
}

TEST_F(nat44_few_connections, strangers_that_ask_for_thousands_take_none_from_inside_hosts) {
  for (unsigned port = 80; port < 87; ++port) open(first_server, port);
  out(second_server, syn);
  for (unsigned port = 1024; port < 3000; ++port) in(stranger, syn, port);
  in(second_server, syn_ack);
  out(second_server, ack);
  for (unsigned port = 80; port < 87; ++port) close(first_server, port);
  ASSERT_TRUE(is_established());
  close(second_server);
  EXPECT_TRUE(is_transitory());
  EXPECT_EQ(untracked(), 0u);
}

TEST_F(nat44_few_connections, one_that_made_room_before_it_was_answered_keeps_its_mapping) {
  for (unsigned port = 80; port < 100; ++port) out(first_server, syn, port);
  in(first_server, syn_ack, 80);
  EXPECT_TRUE(is_established());
}

TEST(nat44_connection_count, that_is_full_says_that_some_are_not_known) {
  nat::life life{1, nat::phase::live, nat::origin::packet, nat::tcp_state::opened_inside, 7};
  for (unsigned n = 0; n < nat::life::most_connections; ++n) life = nat::after_opened(life);
  EXPECT_EQ(life.tcp() & nat::tcp_state::unlisted, 0);
  life = nat::after_opened(life);
  EXPECT_NE(life.tcp() & nat::tcp_state::unlisted, 0);
  for (unsigned n = 0; n < nat::life::most_connections + 1; ++n) life = nat::after_closed(life);
  EXPECT_TRUE(nat::is_established(life.tcp()));
  EXPECT_EQ(life.generation(), 7);
  EXPECT_EQ(life.used(), 1u);
  EXPECT_EQ(life.at(), nat::phase::live);
}

class nat44_restored_connections : public nat44_connections {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_ = testing::TempDir() + "nat44_connections_" + std::to_string(::getpid());
  nat44_bed after_;
};

TEST_F(nat44_restored_connections, are_not_known_and_keep_their_mapping) {
  open(first_server);
  bed_.nat().save(path_);
  ASSERT_EQ(after_.nat().restore(path_), 1u);
  for (auto const* from : {"192.0.2.9", "198.18.0.66"}) {
    auto packet = coming(outside, from, "203.0.113.1").tcp(80, 4000, rst).build();
    ASSERT_EQ(after_.process(packet, outside), forwarded(inside));
  }
  EXPECT_TRUE(outlives(after_, 7440));
}

TEST_F(nat44_restored_connections, that_were_closed_stay_so_until_data_comes_from_inside) {
  open(first_server);
  close(first_server);
  bed_.nat().save(path_);
  ASSERT_EQ(after_.nat().restore(path_), 1u);
  EXPECT_TRUE(outlives(after_, 240));
  out_of(after_, second_server, ack);
  EXPECT_TRUE(outlives(after_, 7440));
  nat44_bed again;
  now_ = 0;
  ASSERT_EQ(again.nat().restore(path_), 1u);
  EXPECT_FALSE(outlives(again, 241));
}

TEST(nat44_restored_state, of_an_earlier_versions_file_is_established_unless_it_only_opened) {
  EXPECT_EQ(nat::restored_state(0), 0);
  for (std::uint8_t const saved : std::array<std::uint8_t, 5>{3, 7, 15, 19, 31})
    EXPECT_TRUE(nat::is_established(nat::restored_state(saved)));
  EXPECT_FALSE(nat::is_established(nat::restored_state(1)));
}

}  // namespace
}  // namespace packetwarp::test::nat44_connections_tests
