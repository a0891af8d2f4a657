// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "function/nat44/nat44_table.h"
#include "function/nat44/session/age.h"
#include "function/nat44/session/connections.h"

// TCP connections of the same sessions, opened and closed by many threads at once.
namespace packetwarp::test::nat44_connections_threads_tests {
namespace {

constexpr unsigned threads = 4;
constexpr std::uint8_t syn = 0x02, syn_ack = 0x12, ack = 0x10, fin_ack = 0x11, rst = 0x04;

nat44_config config_of(std::uint32_t sessions) {
  nat44_config made;
  made.pool = {{{0xcb007101}, {0xcb007101}}};
  made.sessions = sessions;
  made.journal = 1024;
  made.per_host = made.per_prefix = 0;
  return made;
}
nat::endpoint host_of(std::uint32_t n) { return {{0x0a000001}, static_cast<std::uint16_t>(2000 + n)}; }
nat::endpoint peer_of(std::uint32_t n) { return {{0xc0000200 + n % 251}, static_cast<std::uint16_t>(80 + n)}; }

void run_on_threads(std::function<void(unsigned)> const& work) {
  std::vector<std::thread> all;
  for (unsigned i = 0; i < threads; ++i) all.emplace_back(work, i);
  for (auto& one : all) one.join();
}

// Sends a segment of a session that exists or is made.
void send(nat44_ref const& tables, nat::endpoint host, nat::endpoint peer, std::uint8_t flags, nat::direction way) {
  auto const made = nat::session_of(tables, nat::transport::tcp, host, flags, tables.now(),
                                    way == nat::direction::out ? nat::when_absent::make : nat::when_absent::leave);
  if (made.wrong != nat::fault::none) return;
  nat::track(tables, made.found.number, nat::life{made.found.held.life}, flags, way, peer);
}
void open(nat44_ref const& tables, nat::endpoint host, nat::endpoint peer) {
  send(tables, host, peer, syn, nat::direction::out);
  send(tables, host, peer, syn_ack, nat::direction::in);
}
void close(nat44_ref const& tables, nat::endpoint host, nat::endpoint peer) {
  send(tables, host, peer, fin_ack, nat::direction::out);
  send(tables, host, peer, fin_ack, nat::direction::in);
}
nat::life life_of(nat44_ref const& tables, nat::endpoint host) {
  return nat::life{nat::find_inside(tables, nat::key_of(nat::transport::tcp, host)).held.life};
}
// Words of connections that are alive.
std::uint32_t alive(nat44_ref const& tables, std::uint32_t session, std::uint8_t generation) {
  std::uint32_t all = 0;
  auto const words = (tables.rare->connection_mask + 1) * nat::connections_in_line;
  for (std::uint32_t n = 0; n < words; ++n) {
    nat::connection const one{tables.rare->connections[n]};
    all += one.session() == session && one.generation() == generation && one.is_alive();
  }
  return all;
}

TEST(nat44_threads, connections_of_one_session_are_counted_by_all_threads) {
  nat44_table table{config_of(4000)};
  table.tick(0);
  auto const tables = table.cpu();
  constexpr std::uint32_t each = 50;
  auto const host = host_of(0);
  run_on_threads([&](unsigned me) {
    for (unsigned round = 0; round < 200; ++round) {
      for (std::uint32_t n = 0; n < each; ++n) open(tables, host, peer_of(me * each + n));
      for (std::uint32_t n = 0; n < each; ++n) close(tables, host, peer_of(me * each + n));
    }
    for (std::uint32_t n = 0; n < each; ++n) open(tables, host, peer_of(me * each + n));
  });
  EXPECT_EQ(life_of(tables, host).connections(), threads * each);
  run_on_threads([&](unsigned me) {
    for (std::uint32_t n = 0; n < each; ++n) close(tables, host, peer_of(me * each + n));
  });
  auto const after = life_of(tables, host);
  EXPECT_EQ(after.connections(), 0u);
  EXPECT_EQ(after.tcp() & nat::tcp_state::closed, nat::tcp_state::closed);
  EXPECT_EQ(after.tcp() & nat::tcp_state::unlisted, 0);
}

// Any segments of any connections by any thread, while sessions end and their records become others': no session has
// fewer connections by its own count than are known to be alive, so that none counts as closed too early.
TEST(nat44_threads, no_session_counts_fewer_connections_than_it_has) {
  auto config = config_of(16);
  config.timeouts.tcp_established = config.timeouts.tcp_transitory = 1;
  nat44_table table{config};
  table.tick(0);
  auto const tables = table.cpu();
  std::atomic<unsigned> at_work{threads};
  std::thread control{[&] {
    for (std::uint32_t second = 1; at_work != 0; ++second) {
      table.tick(second);
      for (int slice = 0; slice < 4; ++slice) table.maintain(100);
      for (int pause = 0; pause < 50; ++pause) std::this_thread::yield();
    }
  }};
  run_on_threads([&](unsigned me) {
    constexpr std::uint8_t all_flags[] = {syn, syn, syn_ack, syn_ack, ack, fin_ack, fin_ack, rst};
    std::uint64_t chance = me + 1;
    for (unsigned i = 0; i < 100'000; ++i) {
      chance = nat::mix(chance + 0x9e37'79b9'7f4a'7c15);
      auto const way = chance % 2 == 0 ? nat::direction::out : nat::direction::in;
      send(tables, host_of(chance >> 8 & 15), peer_of(chance >> 16 & 7), all_flags[chance >> 24 & 7], way);
    }
    --at_work;
  });
  control.join();
  for (std::uint32_t n = 1; n < tables.rare->sessions; ++n) {
    nat::life const life{nat::load_session(tables.sessions[n]).life};
    if (!life.is_live() || (life.tcp() & nat::tcp_state::unlisted) != 0) continue;
    EXPECT_GE(life.connections(), alive(tables, n, life.generation())) << n;
    EXPECT_EQ(nat::is_established(life.tcp()), life.connections() != 0) << n;
  }
}

}  // namespace
}  // namespace packetwarp::test::nat44_connections_threads_tests
