// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "topology/control_desk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "fixtures/mbufs.h"
#include "fixtures/wire.h"
#include "topology/receive_job.h"
#include "topology/transmit_job.h"

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
  // Whoever got them has them in the end.
  void keep(std::span<rte_mbuf*> packets) { mine_.insert(mine_.end(), packets.begin(), packets.end()); }
  [[nodiscard]] std::vector<rte_mbuf*> take(std::size_t most = 64) {
    std::vector<rte_mbuf*> taken(most);
    taken.resize(desk_.take(taken));
    keep(taken);
    return taken;
  }

  packet_pool pool_{test::small_pool("control_desk_test", 8191, 256)};
  control_desk desk_{2};
  std::vector<rte_mbuf*> mine_;
};

TEST_F(control_desk_test, says_of_each_packet_why_it_was_punted_and_where_it_came_in) {
  auto first = make(2), second = make(1);
  EXPECT_EQ(desk_.punt(first, {.why = punt_reason::arp, .port = 1}), 2u);
  EXPECT_EQ(desk_.punt(second, {.why = punt_reason::fragment, .port = 65535}), 1u);
  auto const taken = take();
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(taken[0], first[0]);
  EXPECT_EQ(tag_of(*taken[1]).why, punt_reason::arp);
  EXPECT_EQ(tag_of(*taken[1]).port, 1);
  EXPECT_EQ(tag_of(*taken[2]).why, punt_reason::fragment);
  EXPECT_EQ(tag_of(*taken[2]).port, 65535);
  EXPECT_TRUE(take().empty());
}

TEST_F(control_desk_test, takes_no_more_than_it_has_room_for) {
  auto many = make(control_desk::room + 5);
  EXPECT_EQ(desk_.punt(many, {}), control_desk::room);
  EXPECT_EQ(desk_.punt(std::span{many}.subspan(control_desk::room), {}), 0u);
  keep(std::span{many}.subspan(control_desk::room));
  EXPECT_EQ(take(control_desk::room + 5).size(), control_desk::room);
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
  EXPECT_TRUE(desk_.send(*packets[0], 3));
  EXPECT_TRUE(desk_.put_back(*packets[1], 1));
  std::array<rte_mbuf*, 4> room{};
  ASSERT_EQ(desk_.doors_of(0).outbox.take(room), 1u);
  EXPECT_EQ(room[0], packets[0]);
  EXPECT_EQ(tag_of(*room[0]).port, 3);
  EXPECT_TRUE(desk_.doors_of(1).outbox.is_empty());
  EXPECT_TRUE(desk_.doors_of(0).returned.is_empty());
  ASSERT_EQ(desk_.doors_of(1).returned.take(room), 1u);
  EXPECT_EQ(room[0], packets[1]);
  keep(packets);
}

// A source that has so many packets left.
struct counted_source {
  std::vector<rte_mbuf*>* left;
  [[nodiscard]] received_packets receive(std::span<rte_mbuf*> room, cycles) { return take_held(room); }
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
  ASSERT_TRUE(desk_.put_back(*back[0], 0));
  arrival_counters counters;
  auto left = fresh;
  with_returned<counted_source> source{counted_source{&left}, desk_.doors_of(0).returned, counters};
  std::array<rte_mbuf*, 8> room{};
  EXPECT_EQ(source.receive(room, 0).count, 1u);
  EXPECT_EQ(room[0], back[0]);
  EXPECT_EQ(counters.returned.read(), 1u);
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
  egresses.emplace_back(wire.left.tx(queue_id{0}), 0, 64, cycles{1} << 50);
  transmit_job job{0,
                   ring,
                   std::move(egresses),
                   counters,
                   packets_lie::in_own_cache,
                   control_link{.desk = &desk_, .pipeline = 0, .ingress = 1}};
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
  ASSERT_TRUE(desk_.send(*answer[0], 0));
  EXPECT_EQ(job.poll({.now = now_cycles(), .phase = run_phase::running}), 1u);
  auto arrived = test::receive_all(wire.right.rx(queue_id{0}));
  EXPECT_EQ(arrived, answer);
  keep(arrived);
  EXPECT_EQ(counters.control_sent.read(), 1u);
  EXPECT_EQ(counters.packets.read(), 0u) << "of those that came in";
}

TEST_F(control_desk_test, a_transmit_job_hands_packets_past_it_to_a_kernel_interface_and_counts_what_that_sends_apart) {
  test::started_wire wire{pool_, 1, 64};
  burst_ring ring{4, 32};
  departure_counters counters;
  kernel_link link{{.port = {}, .interface = "lan.kni", .mac = {}, .addresses = {}, .flows = {}}, 0};
  std::vector<egress> egresses;
  egresses.emplace_back(wire.left.tx(queue_id{0}), 0, 64, cycles{1} << 50);
  transmit_job job{0,
                   ring,
                   std::move(egresses),
                   counters,
                   packets_lie::in_own_cache,
                   control_link{.desk = &desk_, .kernel = &link, .kernels = {&link}, .pipeline = 0, .ingress = 0}};
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
  EXPECT_EQ(counters.to_kernel_bytes.read(), 180u);
  std::vector<rte_mbuf*> handed(kernel_link::room);
  handed.resize(link.take(handed));
  EXPECT_EQ(handed.size(), 3u);
  keep(handed);

  auto full = make(kernel_link::room);
  ASSERT_EQ(link.hand_over(full), kernel_link::room);
  finish(4, verdict::punt());
  EXPECT_EQ(counters.dropped[static_cast<std::size_t>(drop_reason::kernel_full)].read(), 4u);
  EXPECT_EQ(counters.to_kernel.read(), 3u);

  auto sent = make(1);
  ASSERT_TRUE(desk_.send(*sent[0], 0, control_desk::sender::kernel));
  EXPECT_EQ(job.poll({.now = now_cycles(), .phase = run_phase::running}), 1u);
  auto arrived = test::receive_all(wire.right.rx(queue_id{0}));
  EXPECT_EQ(arrived, sent);
  keep(arrived);
  EXPECT_EQ(link.departures.sent.read(), 1u);
  EXPECT_EQ(counters.control_sent.read(), 0u);
}

}  // namespace
}  // namespace packetwarp
