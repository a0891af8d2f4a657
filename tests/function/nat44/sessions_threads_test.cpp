// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "function/nat44/nat44_table.h"
#include "function/nat44/session/age.h"
#include "function/nat44/session_checks.h"

namespace packetwarp::test {
namespace {

constexpr unsigned threads = 4;
constexpr std::uint32_t first_address = 0xcb007101;

nat44_config config_of(std::uint32_t sessions, std::uint16_t first_port, std::uint16_t last_port) {
  nat44_config made;
  made.pool = {{{first_address}, {first_address + 1}}};
  made.sessions = sessions;
  made.address_room = 2;  // every port is counted
  made.first_port = first_port;
  made.last_port = last_port;
  made.journal = 1024;
  made.per_host = made.per_prefix = 0;
  return made;
}
nat::endpoint host_of(std::uint32_t n) { return {{0x0a000000 + n % 97}, static_cast<std::uint16_t>(2000 + n)}; }

void run_on_threads(std::function<void(unsigned)> const& work) {
  std::vector<std::thread> all;
  for (unsigned i = 0; i < threads; ++i) all.emplace_back(work, i);
  for (auto& one : all) one.join();
}

// Every thread asks for the same sessions: each exists once, and all threads see the same.
TEST(nat44_threads, who_asks_for_the_same_session_at_once_gets_the_same) {
  constexpr std::uint32_t wanted = 2000;
  nat44_table table{config_of(4000, 1024, 65535)};
  auto const tables = table.cpu();
  std::vector<std::vector<std::uint64_t>> outsides(threads, std::vector<std::uint64_t>(wanted));
  std::atomic<std::uint64_t> failures{0};
  run_on_threads([&](unsigned me) {
    for (std::uint32_t n = 0; n < wanted; ++n) {
      auto const made = nat::session_of(tables, nat::transport::udp, host_of(n), 0, 5, nat::when_absent::make);
      failures += made.wrong != nat::fault::none;
      outsides[me][n] = made.found.held.outside;
    }
  });
  EXPECT_EQ(failures, 0u);
  for (unsigned i = 1; i < threads; ++i) EXPECT_EQ(outsides[i], outsides[0]);
  auto const facts = check_tables(tables, tables.bucket_mask + 1);
  EXPECT_EQ(facts.live, wanted);
  EXPECT_EQ(facts.free_sessions + facts.live, 4000u);
  EXPECT_EQ(facts.free_ports + facts.live, 2u * nat::transports * 64512);
}

// Few ports, few records, different sessions: none is lost, none given twice.
TEST(nat44_threads, who_runs_out_of_ports_at_once_leaves_none_behind) {
  nat44_table table{config_of(1000, 5000, 5099)};
  auto const tables = table.cpu();
  std::atomic<std::uint64_t> made{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> others{0};
  run_on_threads([&](unsigned me) {
    for (std::uint32_t n = 0; n < 400; ++n) {
      auto const got =
          nat::session_of(tables, nat::transport::tcp, host_of(n * threads + me), 2, 5, nat::when_absent::make);
      (got.wrong == nat::fault::none ? made : refused) += 1;
      others += got.wrong != nat::fault::none && got.wrong != nat::fault::no_port;
    }
  });
  auto const facts = check_tables(tables, tables.bucket_mask + 1);
  table.maintain(1);
  // Two addresses of a hundred ports; TCP connections that were only begun make room for others.
  EXPECT_EQ(made, 200u + table.counts().evicted);
  EXPECT_EQ(made + refused, 400 * threads);
  EXPECT_EQ(others, 0u);
  EXPECT_EQ(facts.live, 200u);
  EXPECT_EQ(facts.free_sessions, 800u);
}

// Sessions are made, used and aged at the same time, while the journal is read.
TEST(nat44_threads, sessions_come_and_go_while_they_are_used) {
  constexpr std::uint32_t wanted = 600;
  auto config = config_of(500, 3000, 3299);
  config.timeouts.udp = 1;
  config.per_host = 40;
  config.per_prefix = 400;
  nat44_table table{config};
  std::uint64_t made = 0;
  std::uint64_t ended = 0;
  table.observe_with([&](nat::journal_entry const& entry) { (entry.what == nat::event::made ? made : ended) += 1; });
  auto const tables = table.cpu();
  std::atomic<unsigned> at_work{threads};
  std::atomic<std::uint64_t> wrong{0};
  std::thread control{[&] {
    for (std::uint32_t second = 1; at_work != 0; ++second) {
      table.tick(second);
      for (int slice = 0; slice < 8; ++slice) table.maintain(100);
      std::this_thread::yield();
    }
  }};
  run_on_threads([&](unsigned me) {
    for (std::uint32_t i = 0; i < 60 * wanted; ++i) {
      auto const host = host_of((i * (me + 1) * 7919U) % wanted);
      auto const now = tables.now();
      auto const got = nat::session_of(tables, nat::transport::udp, host, 0, now, nat::when_absent::make);
      if (got.wrong != nat::fault::none) continue;
      wrong += got.found.held.inside != nat::key_of(nat::transport::udp, host);
      wrong += nat::transport_of(got.found.held.outside) != nat::transport::udp;
    }
    --at_work;
  });
  control.join();
  EXPECT_EQ(wrong, 0u);
  auto const facts = check_tables(tables, tables.bucket_mask + 1);
  EXPECT_EQ(facts.free_sessions + facts.live + facts.ended, 500u);
  EXPECT_EQ(facts.free_ports + facts.live + facts.ended, 2u * nat::transports * 300);
  // All of it becomes free again.
  for (std::uint32_t second : {2'000'000u, 2'000'010u}) {
    table.tick(second);
    for (int slice = 0; slice < 8; ++slice) table.maintain(100);
  }
  auto const after = check_tables(tables, tables.bucket_mask + 1);
  EXPECT_EQ(after.live + after.ended, 0u);
  EXPECT_EQ(after.free_sessions, 500u);
  EXPECT_EQ(after.free_ports, 2u * nat::transports * 300);
  for (std::uint32_t i = 0; i < tables.rare->share_lines * nat::words_in_line; ++i) {
    ASSERT_EQ(tables.rare->shares[i] & nat::share_counter::count_bits, 0u) << "a session that has ended is counted";
  }
  table.maintain(100);
  if (table.counts().unlogged == 0) {
    EXPECT_EQ(made, ended);
  }
}

// Sessions take each other's records and ports at once, while other threads look for them from both sides: no packet is
// sent by half of one and half of another.
TEST(nat44_threads, a_record_that_changes_hands_is_never_seen_half_changed) {
  auto config = config_of(64, 5000, 5063);
  nat44_table table{config};
  table.tick(0);
  auto const tables = table.cpu();
  constexpr unsigned rounds = 20000;
  std::atomic<std::uint64_t> wrong{0};
  auto const kind_of = [](std::uint32_t n) { return n % 2 == 0 ? nat::transport::udp : nat::transport::tcp; };
  auto const check = [&](nat::found_session const& found, nat::transport kind) {
    wrong += nat::transport_of(found.held.inside) != kind;
    wrong += nat::transport_of(found.held.outside) != kind;
  };
  run_on_threads([&](unsigned me) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      auto const n = (i * (me + 1) * 7919U) % 500;
      auto const made = nat::session_of(tables, kind_of(n), host_of(n), 2, tables.now(), nat::when_absent::make);
      if (made.wrong == nat::fault::none) check(made.found, kind_of(n));
      nat::endpoint const port{{first_address + n % 2}, static_cast<std::uint16_t>(5000 + i % 64)};
      auto const found = nat::find_outside(tables, kind_of(i), n % 2, port);
      if (found.number != 0) check(found, kind_of(i));
    }
  });
  EXPECT_EQ(wrong, 0u);
  auto const facts = check_tables(tables, tables.bucket_mask + 1);
  EXPECT_EQ(facts.ended, 0u);
  EXPECT_EQ(facts.live + facts.free_sessions, 64u);
  EXPECT_EQ(facts.free_ports + facts.live, 2u * nat::transports * 64);
  table.maintain(1);
  EXPECT_GT(table.counts().evicted, 0u);
}

}  // namespace
}  // namespace packetwarp::test
