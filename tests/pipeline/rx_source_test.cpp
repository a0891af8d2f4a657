// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"
#include "fixtures/wire.h"
#include "pipeline/receive_job.h"

namespace packetwarp {
namespace {

using packets = std::vector<rte_mbuf*>;

struct free_ring {
  void operator()(rte_ring* ring) const { rte_ring_free(ring); }
};
using owned_ring = std::unique_ptr<rte_ring, free_ring>;

owned_ring make_ring(unsigned size) {
  static int made = 0;
  return owned_ring{rte_ring_create(("rx_source_" + std::to_string(made++)).c_str(), size, SOCKET_ID_ANY,
                                    RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ)};
}

// Packets sent into one end of a wire arrive at the other, where the source under test sits.
class rx_source : public testing::Test {
 protected:
  ~rx_source() override {
    for (auto* packet : test::receive_all(wire_.right.rx(queue_id{0}))) rte_pktmbuf_free(packet);
    rte_pktmbuf_free_bulk(sent_.data(), static_cast<unsigned>(sent_.size()));
    EXPECT_EQ(pool_.available(), pool_.config().packets) << "somebody lost a packet";
  }

  void send(std::size_t count, std::size_t bytes = 60) {
    packets made(count);
    for (auto& packet : made) packet = test::make_packet(pool_, std::vector<std::byte>(bytes));
    ASSERT_EQ(wire_.left.tx(queue_id{0}).send(made), count);
    sent_.insert(sent_.end(), made.begin(), made.end());
  }
  // The packets for a receiver with this much room.
  received_packets receive(std::size_t room, cycles now = 1) {
    packets into(room);
    auto const got = source_.receive(into, now);
    got_.insert(got_.end(), into.begin(), into.begin() + got.count);
    return got;
  }
  // The packets are freed once, from sent_, by any holder.
  void give_up_unreceived() { sent_.resize(got_.size()); }

  packet_pool pool_{test::small_pool("rx_source_test", 1023, 256)};
  test::started_wire wire_{pool_, 1, 512};
  arrival_counters counters_;
  counted_rx_queue source_{wire_.right.rx(queue_id{0}), counters_};
  packets sent_;
  packets got_;
};

TEST_F(rx_source, counts_packets_bytes_and_when_they_came) {
  send(3, 60);
  send(2, 100);
  EXPECT_EQ(receive(32, 77).count, 5u);
  EXPECT_EQ(receive(32, 78).count, 0u);
  send(1, 60);
  EXPECT_EQ(receive(32, 99).count, 1u);
  EXPECT_EQ(counters_.packets.read(), 6u);
  EXPECT_EQ(counters_.bytes.read(), 3u * 60 + 2 * 100 + 60);
  EXPECT_EQ(counters_.first_seen.read(), 77u);
  EXPECT_EQ(counters_.last_seen.read(), 99u);
  EXPECT_EQ(got_, sent_);
}

TEST_F(rx_source, says_whether_some_packet_is_chained) {
  send(4, 60);
  EXPECT_FALSE(receive(32).has_chained);
  send(3, 60);
  send(1, 300);
  EXPECT_TRUE(receive(32).has_chained);
  EXPECT_EQ(counters_.bytes.read(), 7u * 60 + 300) << "of the whole chain";
}

TEST(add_lengths, finds_the_lengths_among_what_drivers_write_beside_them) {
  std::array<rte_mbuf, 5> made{};
  packets all;
  for (auto& packet : made) {
    packet.packet_type = packet.hash.rss = 0xffffffff;
    packet.vlan_tci = 0xffff;
    packet.pkt_len = packet.data_len = 0xffff;
    all.push_back(&packet);
  }
  EXPECT_EQ(add_lengths(all).packets, 5u * 0xffff);
  EXPECT_EQ(add_lengths(all).first_segments, 5u * 0xffff);
  made[3].pkt_len = 0x10000;
  EXPECT_EQ(add_lengths(all).packets, 5u * 0xffff + 1) << "longer than a segment can be";
  EXPECT_EQ(add_lengths(all).first_segments, 5u * 0xffff);
  EXPECT_EQ(add_lengths({}).packets, 0u);
}

// Some vector drivers give nothing to a caller with room for fewer than four.
TEST_F(rx_source, asks_the_port_for_eight_at_least_and_gives_them_bit_by_bit_in_order) {
  send(20);
  EXPECT_EQ(receive(1).count, 1u);
  EXPECT_TRUE(source_.holds_packets());
  EXPECT_EQ(counters_.packets.read(), 8u) << "counted when they came";
  EXPECT_EQ(receive(3).count, 3u);
  EXPECT_EQ(receive(2).count, 2u);
  EXPECT_EQ(receive(7).count, 2u) << "what is left of the eight";
  EXPECT_FALSE(source_.holds_packets());
  EXPECT_EQ(receive(5).count, 5u);
  EXPECT_EQ(counters_.packets.read(), 16u);
  EXPECT_EQ(receive(32).count, 3u) << "held ones first: no overtaking";
  EXPECT_EQ(receive(32).count, 4u);
  EXPECT_EQ(counters_.packets.read(), 20u);
  EXPECT_EQ(got_, sent_);
}

TEST_F(rx_source, gives_what_it_holds_without_polling_the_port) {
  send(20);
  ASSERT_EQ(receive(2).count, 2u);
  packets room(32);
  auto const held = source_.take_held(room);
  EXPECT_EQ(held.count, 6u);
  got_.insert(got_.end(), room.begin(), room.begin() + held.count);
  EXPECT_EQ(source_.take_held(room).count, 0u);
  EXPECT_EQ(counters_.packets.read(), 8u);
  EXPECT_EQ(got_, packets(sent_.begin(), sent_.begin() + 8));
  give_up_unreceived();
}

TEST_F(rx_source, does_not_poll_a_port_that_was_taken_away_and_gives_what_it_holds) {
  send(20);
  ASSERT_EQ(receive(2).count, 2u);
  source_.leave(port_id{1000});
  ASSERT_EQ(receive(2).count, 2u) << "another port";
  source_.leave(wire_.right.facts().id);
  EXPECT_EQ(receive(32).count, 4u) << "what is left of the eight";
  EXPECT_EQ(receive(32).count, 0u);
  EXPECT_EQ(receive(1).count, 0u);
  EXPECT_EQ(counters_.packets.read(), 8u);
  EXPECT_EQ(got_, packets(sent_.begin(), sent_.begin() + 8));
  give_up_unreceived();
}

TEST_F(rx_source, polls_a_port_again_that_it_rejoins) {
  send(40);
  source_.leave(wire_.right.facts().id);
  EXPECT_EQ(receive(32).count, 0u);
  source_.rejoin(port_id{1000});
  EXPECT_EQ(receive(32).count, 0u) << "another port";
  source_.rejoin(wire_.right.facts().id);
  EXPECT_EQ(receive(32).count, 32u);
  EXPECT_EQ(receive(4).count, 4u);
  EXPECT_EQ(receive(32).count + receive(32).count, 4u) << "held, then received";
  EXPECT_EQ(got_, sent_);
}

TEST_F(rx_source, says_of_held_packets_that_some_may_be_chained) {
  send(2, 60);
  send(1, 300);
  EXPECT_TRUE(receive(1).has_chained);
  EXPECT_TRUE(receive(1).has_chained);
  EXPECT_TRUE(receive(1).has_chained);
  EXPECT_FALSE(receive(1).has_chained) << "nothing came";
  send(1, 60);
  EXPECT_FALSE(receive(1).has_chained);
}

class isolate_job_test : public rx_source {
 protected:
  std::uint32_t poll(run_phase phase = run_phase::running) { return job_.poll({.now = 1, .phase = phase}); }
  std::uint32_t take(std::size_t most) {
    packets room(most);
    auto const got = isolated_ring_source{*ring_}.receive(room, 1);
    got_.insert(got_.end(), room.begin(), room.begin() + got.count);
    EXPECT_EQ(got.has_chained, got.count != 0) << "it did not look, so some may be";
    return got.count;
  }

  owned_ring ring_{make_ring(100)};
  receive_counters isolated_;
  isolate_job job_{3, source_, *ring_, isolated_};
};

TEST_F(isolate_job_test, moves_packets_into_its_ring_in_order) {
  send(70);
  EXPECT_EQ(poll(), 64u);
  EXPECT_EQ(counters_.packets.read(), 64u);
  EXPECT_EQ(take(1000), 64u);
  EXPECT_EQ(poll(), 6u);
  EXPECT_EQ(poll(), 0u);
  EXPECT_EQ(take(4), 4u);
  EXPECT_EQ(take(4), 2u);
  EXPECT_EQ(take(4), 0u);
  EXPECT_EQ(got_, sent_);
  EXPECT_EQ(job_.name(), "isolate 3");
}

TEST_F(isolate_job_test, leaves_packets_at_the_port_while_its_ring_has_no_room_for_a_poll) {
  send(200);
  EXPECT_EQ(poll(), 64u);
  EXPECT_EQ(poll(), 0u) << "room for 36 is not enough for 64";
  EXPECT_EQ(isolated_.ring_full.read(), 1u);
  EXPECT_EQ(counters_.packets.read(), 64u);
  EXPECT_EQ(take(27), 27u);
  EXPECT_EQ(poll(), 0u);
  EXPECT_EQ(take(1), 1u);
  EXPECT_EQ(poll(), 64u);
  EXPECT_EQ(isolated_.ring_full.read(), 2u);
  while (take(1000) + poll() != 0) continue;
  EXPECT_EQ(got_, sent_);
}

TEST_F(isolate_job_test, does_not_poll_the_port_when_draining) {
  send(10);
  EXPECT_EQ(poll(run_phase::draining), 0u);
  EXPECT_EQ(poll(run_phase::abandoning), 0u);
  EXPECT_EQ(counters_.packets.read(), 0u);
  EXPECT_EQ(poll(), 10u);
  EXPECT_EQ(take(10), 10u);
}

// With a kernel interface; every second packet is to its address.
class steering_isolate_job_test : public isolate_job_test {
 protected:
  steering_isolate_job_test() { job_.steer(link_, counters_); }
  ~steering_isolate_job_test() override {
    packets room(twin_link::room);
    auto const n = link_.take(room);
    rte_pktmbuf_free_bulk(room.data(), n);
    give_up_unreceived();
  }
  void arrive(std::size_t count) {
    packets made(count);
    for (std::size_t i = 0; i < count; ++i) {
      made[i] = test::make_packet(pool_, test::packet_builder{}
                                             .eth("02:00:00:00:00:01", "02:00:00:00:00:88")
                                             .ipv4("10.0.0.1", i % 2 == 0 ? "10.0.0.88" : "10.0.0.2")
                                             .udp(1, 2)
                                             .build());
      if (i % 2 != 0) sent_.push_back(made[i]);
    }
    ASSERT_EQ(wire_.left.tx(queue_id{0}).send(made), count);
  }

  twin_link link_{{.port = {},
                   .interface = "lan.kni",
                   .mac = wire::parse_mac("02:00:00:00:00:88").value(),
                   .addresses = {},
                   .flows = {wire::parse_ipv4("10.0.0.88").value()}},
                  0};
};

TEST_F(steering_isolate_job_test, hands_the_kernels_packets_to_its_interface_and_keeps_the_order_of_the_rest) {
  arrive(20);
  EXPECT_EQ(poll(), 20u);
  EXPECT_EQ(counters_.steered.read(), 10u);
  EXPECT_EQ(counters_.packets.read(), 20u) << "they arrived, too";
  EXPECT_EQ(take(100), 10u);
  EXPECT_EQ(got_, sent_);
}

TEST_F(steering_isolate_job_test, a_full_ring_is_not_in_the_kernels_way) {
  for (int round = 0; round < 5; ++round) {
    arrive(60);
    EXPECT_EQ(poll(), 60u);
  }
  EXPECT_EQ(counters_.steered.read(), 150u);
  EXPECT_EQ(counters_.isolated_full.read(), 50u) << "the ring holds 100";
  EXPECT_EQ(take(200), 100u);
}

}  // namespace
}  // namespace packetwarp
