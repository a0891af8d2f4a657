// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>

#include "inspection/connections.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {
namespace {

constexpr char secret_rule[] = "alert tcp any any -> any any (content:\"secret word\"; sid:1;)\n";

// A stranger's connection, half of whose content came before an attack: the other half alerts if its stream is kept.
class stream_bounds : public testing::Test {
 protected:
  void begin(inspection_sizes sizes) {
    bed_ = std::make_unique<stage_bed>(secret_rule, sizes);
    auto frames = stranger_.handshake();
    frames.push_back(stranger_.segment(0, 0, "the secret "));
    judge(frames);
  }
  void judge(std::vector<frame_bytes> frames) { (void)bed_->judge(frames, 32); }
  void expect_strangers_alert() {
    judge({stranger_.segment(0, 11, "word")});
    EXPECT_EQ(bed_->alerts(), (alerts_by_sid{{1, 1}}));
  }
  [[nodiscard]] static connection attacker(unsigned n) { return connection{1000 + n % 60'000, "10.9.9.9"}; }

  connection stranger_{4000};
  std::unique_ptr<stage_bed> bed_;
};

// A forged packet each: a SYN that brings data (RFC 7413).
TEST_F(stream_bounds, half_open_connections_give_way_first) {
  begin({.flows = 65'536, .streams = {.streams = 64}});
  for (unsigned n = 0; n < 1000; ++n)
    judge({attacker(n).segment(0, 0xffff'ffff, std::string(100, 'x'), wire::tcp_flag::syn)});
  EXPECT_EQ(bed_->counts().segments.given_up_for_places, 1000U - 63);
  EXPECT_EQ(bed_->table().streams().streams, 64U);
  expect_strangers_alert();
}

// Connections whose bytes wait for a segment that never comes.
TEST_F(stream_bounds, connections_with_waiting_segments_give_way_before_others) {
  constexpr std::size_t bound = std::size_t{1} << 20;
  begin({.flows = 65'536, .streams = {.streams = 4096, .bytes = bound}});
  for (unsigned n = 0; n < 100; ++n) {
    judge(attacker(n).handshake());
    for (std::uint32_t i = 0; i < 40; ++i) judge({attacker(n).segment(0, 100 + 1400 * i, std::string(1400, 'x'))});
    EXPECT_LE(bed_->table().streams().bytes, bound);
  }
  auto const counts = bed_->counts();
  EXPECT_GT(counts.segments.given_up_for_bytes, 50U);
  EXPECT_GE(counts.segments.out_of_order, 1000U);
  expect_strangers_alert();
}

// Connections in order, as many as there are places: the one that has been idle for the longest goes.
TEST_F(stream_bounds, a_connection_in_use_outlasts_idle_ones) {
  begin({.flows = 65'536, .streams = {.streams = 64}});
  for (unsigned n = 0; n < 500; ++n) {
    judge(attacker(n).handshake());
    judge({attacker(n).segment(0, 0, "x")});
    if (n % 50 == 0) judge({stranger_.segment(1, n / 50, "y")});
  }
  EXPECT_EQ(bed_->counts().segments.given_up_for_places, 500U - 63);
  expect_strangers_alert();
}

TEST_F(stream_bounds, a_connection_that_was_given_up_is_judged_by_segments) {
  begin({.flows = 65'536, .streams = {.streams = 64}});
  for (unsigned n = 0; n < 100; ++n) {
    judge(attacker(n).handshake());
    judge({attacker(n).segment(0, 0, "x")});
  }
  judge({stranger_.segment(0, 11, "word")});
  EXPECT_EQ(bed_->alerts(), alerts_by_sid{});
  EXPECT_EQ(bed_->counts().segments.given_up, 1U);
  judge({stranger_.segment(0, 15, "secret word")});
  EXPECT_EQ(bed_->alerts(), (alerts_by_sid{{1, 1}}));
}

// Each part of a connection at its bound: its memory stays below a bound of its own.
TEST_F(stream_bounds, a_connection_takes_less_than_a_mebibyte) {
  begin({.flows = 65'536, .streams = {.streams = 64, .bytes = std::size_t{64} << 20}});
  auto const before = bed_->table().streams().bytes;
  connection const made = attacker(1);
  judge(made.handshake());
  for (unsigned side = 0; side < 2; ++side) {
    auto const head = side == 0 ? std::string{"POST / HTTP/1.1\r\nContent-Length: 99999999\r\n"}
                                : std::string{"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n"};
    auto const text = head + "X: " + std::string(16'000, '%') + "\r\n\r\n" + std::string(70'000, 'b');
    judge(made.segments(side, text, 1400));
    auto const end = static_cast<std::uint32_t>(text.size());
    for (std::uint32_t i = 0; i < 60; ++i) judge({made.segment(side, end + 10 + 1100 * i, std::string(1000, 'w'))});
  }
  EXPECT_GE(bed_->counts().messages.messages, 2U);
  EXPECT_EQ(bed_->counts().messages.bodies_cut_short, 2U);
  auto const taken = bed_->table().streams().bytes - before;
  EXPECT_GT(taken, 200'000U);
  EXPECT_LT(taken, std::size_t{1} << 20);
}

}  // namespace
}  // namespace packetwarp::test
