// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fixtures/played_gpu.h"
#include "function/nat44/nat44_bed.h"
#include "function/nat44/session_checks.h"

// The fate of NAT44's sessions when their GPU is lost, and when its journal was full. The test plays the GPU.
namespace packetwarp::test::nat44_gpu_loss_tests {
namespace {

enum class by : std::uint8_t { gpu, cpu };

[[nodiscard]] nat44_config config_of(std::uint32_t journal) {
  auto made = small_nat();
  made.journal = journal;
  return made;
}

class nat44_gpu_loss : public testing::Test {
 protected:
  explicit nat44_gpu_loss(std::uint32_t journal = 1U << 10) : nat_{config_of(journal), {0, &gpu_.domain}} {
    nat44_bed::set_up(routes_);
    nat_.tick(0);
    gpu_.domain.on_loss([this] { nat_.gpu_failed(); });
    gpu_.domain.begin();
  }

  // The outside port by which a packet of the inside host's port leaves; 0: it does not leave.
  std::uint16_t send(by who, std::uint16_t from, std::string_view host = "10.0.0.2") {
    auto packet = coming(inside, host, "192.0.2.1").udp(from, 53).payload(4).build();
    auto const tables = who == by::gpu ? nat_.gpu() : nat_.cpu();
    auto const said = routed_nat44::process(nat44_bed::view_of(packet), routed_nat44::ref{tables, routes_.cpu(inside)});
    if (said != forwarded(outside)) return 0;
    return static_cast<std::uint16_t>(std::to_integer<unsigned>(packet[34]) << 8 |
                                      std::to_integer<unsigned>(packet[35]));
  }
  // A segment of TCP from inside, or from the server.
  verdict segment(by who, interface_index from, unsigned flags) {
    auto packet = from == inside ? coming(inside, "10.0.0.2", "192.0.2.1").tcp(4000, 80, flags).build()
                                 : coming(outside, "192.0.2.1", "203.0.113.1").tcp(80, 4000, flags).build();
    auto const tables = who == by::gpu ? nat_.gpu() : nat_.cpu();
    return routed_nat44::process(nat44_bed::view_of(packet), routed_nat44::ref{tables, routes_.cpu(from)});
  }
  void age_for(std::uint32_t seconds) {
    nat_.tick(now_ += seconds);
    for (int n = 0; n < 4; ++n) nat_.maintain();
  }
  std::map<std::uint16_t, std::uint16_t> send_all(by who, std::uint16_t first, std::uint16_t count) {
    std::map<std::uint16_t, std::uint16_t> outside;
    for (std::uint16_t n = 0; n < count; ++n) {
      outside[static_cast<std::uint16_t>(first + n)] = send(who, static_cast<std::uint16_t>(first + n));
    }
    return outside;
  }
  void lose() {
    gpu_.domain.lose("a test says so");
    ASSERT_TRUE(gpu_.domain.look(now_cycles()));
  }
  // Live sessions, inside by outside, of tables in plain memory.
  static std::map<std::uint64_t, std::uint64_t> sessions_of(nat44_ref const& tables) {
    std::map<std::uint64_t, std::uint64_t> all;
    for (std::uint32_t n = 1; n < tables.rare->sessions; ++n) {
      auto const held = nat::load_session(tables.sessions[n]);
      if (!nat::life{held.life}.is_live()) continue;
      EXPECT_TRUE(all.emplace(held.outside, held.inside).second);
    }
    return all;
  }
  table_facts check_host() { return check_tables(nat_.cpu(), nat_.cpu().bucket_mask + 1); }
  void end_on_gpu(std::uint16_t from) {
    auto const tables = nat_.gpu();
    auto const found = nat::find_inside(tables, nat::key_of(nat::transport::udp, {ipv4("10.0.0.2"), from}));
    ASSERT_NE(found.number, 0U);
    ASSERT_TRUE(nat::end_session(tables, found.number, found.held, tables.now()));
    nat::release(tables, found.number, nat::load_session(tables.sessions[found.number]));
  }

  played_domain gpu_;
  router_table routes_{{}, {.ipv4_groups = 64, .ipv6_groups = 16, .next_hops = 64, .hosts = 64}};
  nat44_table nat_;
  std::uint32_t now_{};
};

// The host has not heard of connections, nor of changes of them since it last read a session.
TEST_F(nat44_gpu_loss, cuts_no_tcp_session_whatever_the_host_had_heard_of_it) {
  constexpr unsigned syn = 0x02, syn_ack = 0x12, ack = 0x10, fin_ack = 0x11, rst = 0x04;
  auto const open = [this] {
    EXPECT_EQ(segment(by::gpu, inside, syn), forwarded(outside));
    EXPECT_EQ(segment(by::gpu, outside, syn_ack), forwarded(inside));
  };
  open();
  EXPECT_EQ(segment(by::gpu, inside, fin_ack), forwarded(outside));
  EXPECT_EQ(segment(by::gpu, outside, fin_ack), forwarded(inside));
  nat_.read_back();
  open();
  lose();
  age_for(0);
  age_for(7439);
  ASSERT_EQ(sessions_of(nat_.cpu()).size(), 1U) << "idle, and the GPU alone knew its connection";
  EXPECT_EQ(segment(by::cpu, outside, rst), forwarded(inside));
  EXPECT_EQ(segment(by::cpu, inside, ack), forwarded(outside));
  EXPECT_EQ(segment(by::cpu, inside, fin_ack), forwarded(outside));
  EXPECT_EQ(segment(by::cpu, outside, fin_ack), forwarded(inside));
  age_for(7440);
  EXPECT_EQ(sessions_of(nat_.cpu()).size(), 1U) << "others may be there";
  age_for(1);
  EXPECT_EQ(sessions_of(nat_.cpu()).size(), 0U);
}

TEST_F(nat44_gpu_loss, leaves_the_sessions_that_its_journal_still_told_of) {
  auto const before = send_all(by::gpu, 4000, 100);
  EXPECT_TRUE(sessions_of(nat_.cpu()).empty()) << "nobody has read the journal";
  lose();
  EXPECT_EQ(sessions_of(nat_.cpu()), sessions_of(nat_.gpu()));
  EXPECT_EQ(send_all(by::cpu, 4000, 100), before) << "the same outside ports";
  EXPECT_EQ(nat_.counts().made, 100U);
  EXPECT_EQ(check_host().live, 100U);
}

// A thread of the GPU took its place in the journal and never wrote there: the records after it were sent.
TEST_F(nat44_gpu_loss, reads_past_what_was_begun_and_never_written) {
  auto before = send_all(by::gpu, 4000, 10);
  nat_.gpu().rare->journal.cursors->written += 3;
  before.merge(send_all(by::gpu, 5000, 10));
  nat_.maintain();
  EXPECT_EQ(sessions_of(nat_.cpu()).size(), 10U) << "a journal is read in order while it is written";
  lose();
  EXPECT_EQ(sessions_of(nat_.cpu()), sessions_of(nat_.gpu()));
  for (auto const& [from, outside] : before) EXPECT_EQ(send(by::cpu, from), outside);
}

TEST_F(nat44_gpu_loss, gives_no_port_twice) {
  auto const before = send_all(by::gpu, 4000, 200);
  lose();
  std::set<std::uint16_t> given;
  for (auto const& [from, outside] : before) EXPECT_TRUE(given.insert(outside).second);
  // The other host asks for the same ports, which port preservation would give it.
  for (std::uint16_t n = 0; n < 200; ++n) {
    auto const outside = send(by::cpu, static_cast<std::uint16_t>(4000 + n), "10.0.0.3");
    EXPECT_NE(outside, 0);
    EXPECT_TRUE(given.insert(outside).second) << outside;
  }
  EXPECT_EQ(check_host().live, 400U);
}

TEST_F(nat44_gpu_loss, is_final_for_its_memory) {
  (void)send_all(by::gpu, 4000, 10);
  lose();
  auto const copies = gpu_.driver->begun();
  // The later actions of a GPU that wakes up again do not matter.
  (void)send_all(by::gpu, 6000, 10);
  nat_.tick(5);
  nat_.maintain();
  nat_.begin_read_back();
  nat_.maintain();
  auto wanted = nat_.config();
  wanted.timeouts.udp = 17;
  auto change = nat_.plan_change(wanted);
  nat_.prepare(change);
  nat_.publish(std::move(change));
  EXPECT_EQ(nat_.config().timeouts.udp, 17U) << "settings change on the host";
  EXPECT_EQ(gpu_.driver->begun(), copies);
  EXPECT_EQ(sessions_of(nat_.cpu()).size(), 10U);
}

// The time of the GPU's last use of a session is unknown.
TEST_F(nat44_gpu_loss, ages_no_session_before_it_has_been_seen_to_go_on) {
  (void)send_all(by::gpu, 4000, 100);
  nat_.maintain();
  nat_.tick(100'000);
  lose();
  for (int n = 0; n < 10; ++n) nat_.maintain(64);
  EXPECT_EQ(sessions_of(nat_.cpu()).size(), 100U);
  for (int n = 0; n < 100; ++n) nat_.maintain(64);
  EXPECT_EQ(sessions_of(nat_.cpu()).size(), 100U) << "as if just used";
  nat_.tick(100'000 + 301);
  for (int n = 0; n < 100; ++n) nat_.maintain(64);
  EXPECT_EQ(sessions_of(nat_.cpu()).size(), 0U) << "they age from then on";
}

TEST_F(nat44_gpu_loss, by_a_copy_of_its_own_is_no_exception) {
  auto const before = send_all(by::gpu, 4000, 10);
  gpu_.driver->let(played_gpu::copies::fail);
  nat_.maintain();
  EXPECT_FALSE(gpu_.domain.is_working());
  nat_.tick(1);
  nat_.maintain();
  EXPECT_TRUE(gpu_.domain.look(now_cycles()));
  EXPECT_EQ(send_all(by::cpu, 4000, 10), before);
}

class nat44_full_journal : public nat44_gpu_loss {
 protected:
  nat44_full_journal() : nat44_gpu_loss{16} {}
  void read_to_the_end(std::uint32_t records) {
    for (int n = 0; nat_.is_reading_back(); ++n) {
      ASSERT_LT(n, 1000);
      nat_.maintain(records);
    }
  }
};

TEST_F(nat44_full_journal, is_made_up_for_a_slice_at_a_time) {
  (void)send_all(by::gpu, 4000, 300);
  nat_.maintain(64);
  EXPECT_TRUE(nat_.is_reading_back());
  EXPECT_LT(sessions_of(nat_.cpu()).size(), 300U) << "all in one look";
  read_to_the_end(64);
  EXPECT_EQ(sessions_of(nat_.cpu()), sessions_of(nat_.gpu()));
  EXPECT_EQ(check_host().live, 300U);
  EXPECT_EQ(nat_.counts().unlogged, 300U - 16);
}

// Calls that read a few entries each come to the lost one after those before it.
TEST_F(nat44_full_journal, costs_no_entry_that_it_has) {
  (void)send_all(by::gpu, 4000, 17);
  nat_.maintain(1);
  EXPECT_FALSE(nat_.is_reading_back()) << "entries before the lost one are older than what is read back";
  for (int n = 0; n < 100 && !nat_.is_reading_back(); ++n) nat_.maintain(1);
  read_to_the_end(64);
  EXPECT_EQ(nat_.counts().made, 16U);
  EXPECT_EQ(nat_.counts().unlogged, 1U);
  EXPECT_EQ(sessions_of(nat_.cpu()), sessions_of(nat_.gpu()));
}

TEST_F(nat44_full_journal, leaves_the_host_its_entries_when_the_gpu_is_lost) {
  (void)send_all(by::gpu, 4000, 17);
  nat_.maintain(1);
  lose();
  EXPECT_EQ(check_host().live, 16U);
  EXPECT_EQ(nat_.counts().made, 16U);
}

// Sessions end, and their records and ports go to others, before the place of reading and after it.
TEST_F(nat44_full_journal, is_made_up_for_while_sessions_come_and_go) {
  (void)send_all(by::gpu, 4000, 300);
  nat_.maintain(64);
  for (std::uint16_t n = 0; nat_.is_reading_back(); ++n) {
    ASSERT_LT(n, 290);
    end_on_gpu(static_cast<std::uint16_t>(4000 + n));
    (void)send(by::gpu, static_cast<std::uint16_t>(4000 + n), "10.0.0.3");
    nat_.maintain(32);
  }
  nat_.maintain();
  EXPECT_EQ(sessions_of(nat_.cpu()), sessions_of(nat_.gpu()));
  (void)check_host();
}

TEST_F(nat44_full_journal, that_is_full_again_meanwhile_is_read_once_more) {
  (void)send_all(by::gpu, 4000, 100);
  nat_.maintain(64);
  nat_.maintain(64);
  ASSERT_TRUE(nat_.is_reading_back());
  (void)send_all(by::gpu, 5000, 100);
  nat_.maintain(64);
  read_to_the_end(64);
  EXPECT_EQ(sessions_of(nat_.cpu()), sessions_of(nat_.gpu()));
  EXPECT_EQ(check_host().live, 200U);
}

TEST_F(nat44_full_journal, leaves_what_was_read_when_the_gpu_is_lost_meanwhile) {
  (void)send_all(by::gpu, 4000, 300);
  nat_.maintain(64);
  nat_.maintain(64);
  auto const read = sessions_of(nat_.cpu()).size();
  lose();
  EXPECT_FALSE(nat_.is_reading_back());
  EXPECT_GE(sessions_of(nat_.cpu()).size(), read);
  EXPECT_EQ(check_host().live, sessions_of(nat_.cpu()).size());
}

}  // namespace
}  // namespace packetwarp::test::nat44_gpu_loss_tests
