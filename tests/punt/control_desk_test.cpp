// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "punt/control_desk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include "fixtures/mbufs.h"
#include "fixtures/wire.h"
#include "pipeline/receive_job.h"
#include "pipeline/transmit_job.h"

namespace packetwarp {
namespace {

class control_desk_test : public testing::Test {
 protected:
  ~control_desk_test() override { rte_pktmbuf_free_bulk(mine_.data(), static_cast<unsigned>(mine_.size())); }

  [[nodiscard]] std::vector<rte_mbuf*> make(std::size_t count) {
    std::vector<rte_mbuf*> made;
    for (std::size_t i = 0; i < count; ++i) {
      made.push_back(test::make_packet(pool_, std::vector<std::byte>(60, static_cast<std::byte>(i))));
    }
    return made;
  }
  // The packets' last owner has them in the end.
  void keep(std::span<rte_mbuf*> packets) { mine_.insert(mine_.end(), packets.begin(), packets.end()); }
  [[nodiscard]] std::vector<rte_mbuf*> take(std::size_t most = 64) {
    std::vector<rte_mbuf*> taken(most);
    taken.resize(desk_->take(taken));
    keep(taken);
    return taken;
  }

  packet_pool pool_{test::small_pool("control_desk_test", 8191, 256)};
  // Only tests of limits may meet one.
  [[nodiscard]] static punt_limits no_limits() {
    punt_limits limits;
    limits.of_class.fill({.per_second = most_punts_per_second, .at_once = 1'000'000});
    return limits;
  }
  [[nodiscard]] std::uint32_t punt(std::span<rte_mbuf*> packets, punt_tag tag) {
    return desk_->punt(packets, tag, now_cycles()).taken;
  }

  std::optional<control_desk> desk_{std::in_place, 2, 4, no_limits()};
  std::vector<rte_mbuf*> mine_;
};

TEST_F(control_desk_test, says_of_each_packet_why_it_was_punted_and_where_it_came_in) {
  auto first = make(2), second = make(1);
  EXPECT_EQ(punt(first, {.why = punt_reason::arp, .port = 1}), 2u);
  EXPECT_EQ(punt(second, {.why = punt_reason::fragment, .port = 3}), 1u);
  auto const taken = take();
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(taken[0], first[0]);
  EXPECT_EQ(tag_of(*taken[1]).why, punt_reason::arp);
  EXPECT_EQ(tag_of(*taken[1]).port, 1);
  EXPECT_EQ(tag_of(*taken[2]).why, punt_reason::fragment);
  EXPECT_EQ(tag_of(*taken[2]).port, 3);
  EXPECT_TRUE(take().empty());
}

TEST_F(control_desk_test, takes_no_more_of_a_class_than_it_has_room_for_and_all_of_another) {
  constexpr auto room = control_desk::rooms[static_cast<std::size_t>(punt_class::fragments)];
  auto many = make(room + 5), others = make(7);
  auto const result = desk_->punt(many, {.why = punt_reason::fragment}, now_cycles());
  EXPECT_EQ(result.taken, room);
  EXPECT_EQ(result.full, 5u);
  EXPECT_EQ(result.limited, 0u);
  EXPECT_EQ(punt(std::span{many}.subspan(room), {.why = punt_reason::needs_fragmentation}), 0u) << "of the same class";
  keep(std::span{many}.subspan(room));
  EXPECT_EQ(punt(others, {.why = punt_reason::arp}), 7u);
  EXPECT_EQ(desk_->waiting(punt_class::fragments), room);
  EXPECT_EQ(desk_->waiting(punt_class::neighbours), 7u);
  EXPECT_EQ(desk_->waiting(punt_class::others), 0u);
  EXPECT_EQ(take(control_desk::room).size(), room + 7);
  EXPECT_EQ(desk_->waiting(punt_class::fragments), 0u);
}

TEST_F(control_desk_test, gives_the_master_of_each_class_its_share_while_all_wait) {
  std::vector<rte_mbuf*> packets;
  for (auto const why : {punt_reason::arp, punt_reason::to_kernel, punt_reason::ttl_exceeded, punt_reason::fragment,
                         punt_reason::neighbour_unknown}) {
    auto some = make(300);
    ASSERT_EQ(punt(some, {.why = why}), 300u);
  }
  std::array<unsigned, punt_classes> of_class{};
  for (auto const* packet : take(256)) ++of_class[static_cast<std::size_t>(class_of(tag_of(*packet).why))];
  EXPECT_EQ(std::accumulate(of_class.begin(), of_class.end(), 0U), 256u) << "none of its time is left";
  for (std::size_t n = 0; n < punt_classes; ++n) EXPECT_GE(of_class[n], 256 * control_desk::shares[n] / 16) << n;
}

TEST_F(control_desk_test, gives_the_master_of_one_class_as_much_as_it_takes_while_no_other_waits) {
  auto some = make(300);
  ASSERT_EQ(punt(some, {.why = punt_reason::ttl_exceeded}), 300u);
  EXPECT_EQ(take(256).size(), 256u);
  EXPECT_EQ(take(256).size(), 44u);
}

TEST_F(control_desk_test, limits_each_reason_of_each_port_by_itself) {
  desk_.emplace(1, 2, punt_limits{});
  auto const limit = punt_limits{}[punt_class::icmp_errors].at_once;
  auto const now = now_cycles();
  auto flood = make(limit + 30);
  auto const result = desk_->punt(flood, {.why = punt_reason::ttl_exceeded, .port = 0}, now);
  EXPECT_EQ(result.taken, limit);
  EXPECT_EQ(result.full, 0u);
  EXPECT_EQ(result.limited, 30u);
  keep(std::span{flood}.subspan(limit));
  auto again = make(3);
  EXPECT_EQ(desk_->punt(again, {.why = punt_reason::ttl_exceeded, .port = 0}, now).limited, 3u);
  EXPECT_EQ(desk_->punt(again, {.why = punt_reason::too_big, .port = 0}, now).taken, 3u) << "another reason";
  auto there = make(3);
  EXPECT_EQ(desk_->punt(there, {.why = punt_reason::ttl_exceeded, .port = 1}, now).taken, 3u) << "another port";
  auto later = make(20);
  auto const a_millisecond_later = now + to_cycles(std::chrono::milliseconds{1});
  EXPECT_NEAR(desk_->punt(later, {.why = punt_reason::ttl_exceeded, .port = 0}, a_millisecond_later).taken, 10, 1);
  std::vector<rte_mbuf*> left(control_desk::room);
  left.resize(desk_->take(left));
  for (auto* packet : left) std::erase(later, packet);
  keep(left);
  keep(later);
}

TEST_F(control_desk_test, keeps_room_in_the_outbox_for_the_control_plane_s_own_packets) {
  auto from_kernel = make(2000), own = make(control_desk::kept_for_own);
  std::size_t taken = 0;
  while (taken < from_kernel.size() && desk_->send(*from_kernel[taken], 0, control_desk::sender::twin)) ++taken;
  EXPECT_LT(taken, from_kernel.size());
  EXPECT_EQ(desk_->room_to_send(), 0u);
  for (auto* packet : own) EXPECT_TRUE(desk_->send(*packet, 0));
  keep(std::span{from_kernel}.subspan(taken));
  std::vector<rte_mbuf*> sent(2000);
  sent.resize(desk_->take_back(sent));
  keep(sent);
}

TEST_F(control_desk_test, frees_what_nobody_took) {
  auto const before = pool_.available();
  {
    mbuf_ring ring{"freed_with_what_is_in_it", 64, mbuf_ring::writers::one};
    auto some = make(40);
    EXPECT_EQ(ring.put(some), 40u);
    EXPECT_EQ(pool_.available(), before - 40);
  }
  EXPECT_EQ(pool_.available(), before);
}

TEST_F(control_desk_test, leads_back_to_the_data_path) {
  auto packets = make(2);
  EXPECT_TRUE(desk_->send(*packets[0], 3));
  EXPECT_TRUE(desk_->put_back(*packets[1], 1));
  std::array<rte_mbuf*, 4> room{};
  ASSERT_EQ(desk_->doors_of(0).outbox.take(room), 1u);
  EXPECT_EQ(room[0], packets[0]);
  EXPECT_EQ(tag_of(*room[0]).port, 3);
  EXPECT_TRUE(desk_->doors_of(1).outbox.is_empty());
  EXPECT_TRUE(desk_->doors_of(0).returned.is_empty());
  ASSERT_EQ(desk_->doors_of(1).returned.take(room), 1u);
  EXPECT_EQ(room[0], packets[1]);
  keep(packets);
}

// A source that has this many packets left.
struct counted_source {
  std::vector<rte_mbuf*>* left;
  [[nodiscard]] received_packets receive(std::span<rte_mbuf*> room, cycles) { return take_held(room); }
  void leave(port_id /*gone*/) {}
  void rejoin(port_id /*back*/) {}
  [[nodiscard]] received_packets take_held(std::span<rte_mbuf*> room) {
    auto const n = std::min(room.size(), left->size());
    std::copy_n(left->begin(), n, room.begin());
    left->erase(left->begin(), left->begin() + static_cast<std::ptrdiff_t>(n));
    return {.count = static_cast<std::uint32_t>(n), .has_chained = false};
  }
};

TEST_F(control_desk_test, packets_put_back_come_before_others_and_are_counted_apart) {
  auto fresh = make(2), back = make(1);
  keep(fresh);
  keep(back);
  ASSERT_TRUE(desk_->put_back(*back[0], 0));
  arrival_counters counters;
  auto left = fresh;
  with_returned<counted_source> source{counted_source{&left}, desk_->doors_of(0).returned, counters};
  std::array<rte_mbuf*, 8> room{};
  EXPECT_EQ(source.receive(room, 0).count, 1u);
  EXPECT_EQ(room[0], back[0]);
  EXPECT_EQ(counters.returned.read(), 1u);
  EXPECT_EQ(counters.returned_bytes.read(), 60u);
  EXPECT_EQ(source.receive(room, 0).count, 2u);
  EXPECT_EQ(room[0], fresh[0]);
  EXPECT_EQ(counters.returned.read(), 1u);
  EXPECT_EQ(counters.packets.read(), 0u) << "of the port: who polls it counts those";
}

TEST_F(control_desk_test, a_transmit_job_punts_to_it_and_sends_for_it) {
  test::started_wire wire{pool_, 1, 64};
  burst_ring ring{4, 32};
  departure_counters counters;
  std::vector<egress> egresses;
  egresses.emplace_back(wire.left.tx(queue_id{0}), chain_limit{}, 64, cycles{1} << 50);
  transmit_job job{0,
                   ring,
                   std::move(egresses),
                   counters,
                   packets_lie::in_own_cache,
                   control_link{.desk = &*desk_, .pipeline = 0, .ingress = 1}};
  auto* const open = ring.open();
  for (auto* packet : make(3)) open->packets[open->size++] = packet;
  ring.publish();
  ASSERT_NE(ring.next_ready(), nullptr);
  ring.take();
  ring.finish(burst_outcome::uniform(verdict::punt(punt_reason::ttl_exceeded)));
  EXPECT_EQ(job.poll({.now = now_cycles(), .phase = run_phase::running}), 3u);
  EXPECT_EQ(counters.punted.read(), 3u);
  auto const punted = take();
  ASSERT_EQ(punted.size(), 3u);
  EXPECT_EQ(tag_of(*punted[2]).why, punt_reason::ttl_exceeded);
  EXPECT_EQ(tag_of(*punted[2]).port, 1);

  auto answer = make(1);
  ASSERT_TRUE(desk_->send(*answer[0], 0));
  EXPECT_EQ(job.poll({.now = now_cycles(), .phase = run_phase::running}), 1u);
  auto arrived = test::receive_all(wire.right.rx(queue_id{0}));
  EXPECT_EQ(arrived, answer);
  keep(arrived);
  EXPECT_EQ(counters.control_sent.read(), 1u);
  EXPECT_EQ(counters.packets.read(), 0u) << "of those that came in";
}

TEST_F(control_desk_test, a_transmit_job_drops_by_name_what_the_desk_refuses_and_what_no_kernel_takes) {
  test::started_wire wire{pool_, 1, 64};
  burst_ring ring{4, 32};
  departure_counters counters;
  punt_limits limits;
  limits[punt_class::icmp_errors] = {.per_second = 1, .at_once = 5};
  desk_.emplace(1, 1, limits);
  std::vector<egress> egresses;
  egresses.emplace_back(wire.left.tx(queue_id{0}), chain_limit{}, 64, cycles{1} << 50);
  transmit_job job{0,
                   ring,
                   std::move(egresses),
                   counters,
                   packets_lie::in_own_cache,
                   control_link{.desk = &*desk_, .pipeline = 0, .ingress = 0}};
  auto const finish = [&](verdict all) {
    auto* const open = ring.open();
    for (auto* packet : make(8)) open->packets[open->size++] = packet;
    ring.publish();
    ASSERT_NE(ring.next_ready(), nullptr);
    ring.take();
    ring.finish(burst_outcome::uniform(all));
    EXPECT_EQ(job.poll({.now = now_cycles(), .phase = run_phase::running}), 8u);
  };
  auto const dropped = [&](drop_reason why) { return counters.dropped[static_cast<std::size_t>(why)].read(); };
  constexpr auto icmp = static_cast<std::size_t>(punt_class::icmp_errors);
  finish(verdict::punt(punt_reason::ttl_exceeded));
  EXPECT_EQ(counters.punted.read(), 5u);
  EXPECT_EQ(dropped(drop_reason::punt_limited), 3u);
  EXPECT_EQ(counters.punt_limited[icmp].read(), 3u);
  EXPECT_EQ(counters.punt_full[icmp].read(), 0u);

  finish(verdict::punt(punt_reason::to_kernel));
  EXPECT_EQ(dropped(drop_reason::no_kernel_interface), 8u) << "and the master does not see them";
  std::vector<rte_mbuf*> taken(64);
  taken.resize(desk_->take(taken));
  EXPECT_EQ(taken.size(), 5u);
  keep(taken);
}

TEST_F(control_desk_test, a_transmit_job_sends_the_control_plane_s_packets_before_data_that_waits) {
  constexpr std::uint32_t depth = 16;
  test::started_wire wire{pool_, 1, depth};
  burst_ring ring{4, 32};
  departure_counters counters;
  std::vector<egress> egresses;
  egresses.emplace_back(wire.left.tx(queue_id{0}), chain_limit{}, 64, cycles{1} << 50);
  transmit_job job{0,
                   ring,
                   std::move(egresses),
                   counters,
                   packets_lie::in_own_cache,
                   control_link{.desk = &*desk_, .pipeline = 0, .ingress = 0}};
  auto const poll = [&](run_phase phase = run_phase::running) {
    return job.poll({.now = now_cycles(), .phase = phase});
  };
  auto const finish = [&](std::span<rte_mbuf* const> packets) {
    auto* const open = ring.open();
    for (auto* packet : packets) open->packets[open->size++] = packet;
    ring.publish();
    ASSERT_NE(ring.next_ready(), nullptr);
    ring.take();
    ring.finish(burst_outcome::uniform(verdict::forward(egress_index{0})));
  };
  auto data = make(96);
  for (int n = 0; n < 3; ++n) finish(std::span{data}.subspan(static_cast<std::size_t>(n) * 32, 32));
  for (int n = 0; n < 3; ++n) (void)poll();
  auto own = make(egress::first_room + 10);
  for (auto* packet : own) ASSERT_TRUE(desk_->send(*packet, 0));
  for (int n = 0; n < 3; ++n) EXPECT_NE(poll(), 0u) << "the data that waits does not keep them in the outbox";
  EXPECT_EQ(counters.control_lost.read(), 10u) << "few may wait";
  std::vector<rte_mbuf*> arrived, some;
  do {
    some = test::receive_all(wire.right.rx(queue_id{0}));
    arrived.insert(arrived.end(), some.begin(), some.end());
    (void)poll();
  } while (!some.empty());
  std::vector<rte_mbuf*> expected(data.begin(), data.begin() + depth);
  expected.insert(expected.end(), own.begin(), own.begin() + egress::first_room);
  expected.insert(expected.end(), data.begin() + depth, data.end());
  EXPECT_EQ(arrived, expected);
  keep(arrived);
  EXPECT_EQ(counters.control_sent.read(), egress::first_room);
  EXPECT_EQ(counters.packets.read(), 96u);
}

TEST_F(control_desk_test, a_transmit_job_counts_the_control_plane_s_packets_that_a_stuck_port_lost) {
  test::started_wire wire{pool_, 1, 16};
  burst_ring ring{4, 32};
  departure_counters counters;
  constexpr cycles timeout = 1'000'000;
  std::vector<egress> egresses;
  egresses.emplace_back(wire.left.tx(queue_id{0}), chain_limit{}, 64, timeout);
  transmit_job job{0,
                   ring,
                   std::move(egresses),
                   counters,
                   packets_lie::in_own_cache,
                   control_link{.desk = &*desk_, .pipeline = 0, .ingress = 0}};
  auto own = make(32);
  for (auto* packet : own) ASSERT_TRUE(desk_->send(*packet, 0));
  auto const now = now_cycles();
  EXPECT_EQ(job.poll({.now = now, .phase = run_phase::running}), 32u);
  EXPECT_EQ(counters.control_sent.read(), 16u);
  EXPECT_EQ(counters.control_lost.read(), 0u) << "they wait";
  (void)job.poll({.now = now + 2 * timeout, .phase = run_phase::running});
  EXPECT_EQ(counters.control_lost.read(), 16u);
  auto arrived = test::receive_all(wire.right.rx(queue_id{0}));
  keep(arrived);
}

TEST_F(control_desk_test, a_transmit_job_hands_packets_past_it_to_a_kernel_interface_and_counts_what_that_sends_apart) {
  test::started_wire wire{pool_, 1, 64};
  burst_ring ring{4, 32};
  departure_counters counters;
  twin_link link{{.port = {}, .interface = "lan.kni", .mac = {}, .addresses = {}, .flows = {}}, 0};
  std::vector<egress> egresses;
  egresses.emplace_back(wire.left.tx(queue_id{0}), chain_limit{}, 64, cycles{1} << 50);
  transmit_job job{0,
                   ring,
                   std::move(egresses),
                   counters,
                   packets_lie::in_own_cache,
                   control_link{.desk = &*desk_, .twin = &link, .twins = {&link}, .pipeline = 0, .ingress = 0}};
  auto const finish = [&](std::size_t count, verdict all) {
    auto* const open = ring.open();
    for (auto* packet : make(count)) open->packets[open->size++] = packet;
    ring.publish();
    ASSERT_NE(ring.next_ready(), nullptr);
    ring.take();
    ring.finish(burst_outcome::uniform(all));
    EXPECT_EQ(job.poll({.now = now_cycles(), .phase = run_phase::running}), count);
  };
  finish(3, verdict::punt());
  finish(2, verdict::punt(punt_reason::arp));
  EXPECT_EQ(take().size(), 2u) << "ARP is for the control plane first";
  EXPECT_EQ(counters.punted.read(), 5u);
  EXPECT_EQ(counters.to_kernel.read(), 3u);
  EXPECT_EQ(counters.punted_bytes.read(), 300u) << "60 bytes each, of both kinds";
  std::vector<rte_mbuf*> handed(twin_link::room);
  handed.resize(link.take(handed));
  EXPECT_EQ(handed.size(), 3u);
  keep(handed);

  auto full = make(twin_link::room);
  ASSERT_EQ(link.hand_over(full), twin_link::room);
  finish(4, verdict::punt());
  EXPECT_EQ(counters.dropped[static_cast<std::size_t>(drop_reason::kernel_full)].read(), 4u);
  EXPECT_EQ(counters.to_kernel.read(), 3u);

  auto sent = make(1);
  ASSERT_TRUE(desk_->send(*sent[0], 0, control_desk::sender::twin));
  EXPECT_EQ(job.poll({.now = now_cycles(), .phase = run_phase::running}), 1u);
  auto arrived = test::receive_all(wire.right.rx(queue_id{0}));
  EXPECT_EQ(arrived, sent);
  keep(arrived);
  EXPECT_EQ(link.departures.sent.read(), 1u);
  EXPECT_EQ(counters.control_sent.read(), 0u);
}

}  // namespace
}  // namespace packetwarp
