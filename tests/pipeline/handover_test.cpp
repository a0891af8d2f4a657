// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "fixtures/mbufs.h"
#include "fixtures/wire.h"
#include "pipeline/receive_job.h"
#include "pipeline/transmit_job.h"

// Packets on their way from the TX job of one GPU's pipeline to the RX job of another GPU's.
namespace packetwarp {
namespace {

using packets = std::vector<rte_mbuf*>;

class handover : public testing::Test {
 protected:
  static constexpr std::uint32_t room = 64;
  static constexpr std::uint32_t burst_size = 32;

  ~handover() override {
    for (auto* packet : test::receive_all(wire_.right.rx(queue_id{0}))) rte_pktmbuf_free(packet);
    packets rest(room);
    rest.resize(handed_.take(rest));
    rte_pktmbuf_free_bulk(rest.data(), static_cast<unsigned>(rest.size()));
    EXPECT_EQ(pool_.available(), pool_.config().packets) << "a packet is lost";
  }

  // A burst that the first pipeline's executor has finished.
  void finish(std::size_t count, verdict all) {
    auto* const open = ring_.open();
    ASSERT_NE(open, nullptr);
    for (std::size_t n = 0; n < count; ++n) {
      open->packets[open->size++] = test::make_packet(pool_, std::vector<std::byte>(60));
    }
    ring_.publish();
    ASSERT_NE(ring_.next_ready(), nullptr);
    ring_.take();
    ring_.finish(burst_outcome::uniform(all));
    (void)job_.poll({.now = now_cycles(), .phase = run_phase::running});
  }
  // Packets of the second pipeline's own port.
  void send(std::size_t count) {
    packets made(count);
    for (auto& packet : made) packet = test::make_packet(pool_, std::vector<std::byte>(60));
    ASSERT_EQ(wire_.left.tx(queue_id{0}).send(made), count);
  }
  // The second pipeline takes packets in front of its function, and frees them.
  std::uint32_t receive(std::size_t packets_of_room) {
    packets into(packets_of_room);
    auto const got = source_.receive(into, 1).count;
    rte_pktmbuf_free_bulk(into.data(), got);
    return got;
  }
  [[nodiscard]] std::uint64_t dropped(drop_reason why) const {
    return from_.departures.dropped[static_cast<std::size_t>(why)].read();
  }
  [[nodiscard]] control_link link() {
    return {.desk = nullptr, .twin = nullptr, .twins = {}, .pipeline = 0, .ingress = 0, .to_gpus = {nullptr, &handed_}};
  }
  std::vector<egress> make_egresses() {
    std::vector<egress> made;
    made.emplace_back(wire_.right.tx(queue_id{0}), chain_limit{}, 2 * burst_size, cycles{1} << 50);
    return made;
  }

  packet_pool pool_{test::small_pool("handover_test", 1023, 256)};
  test::started_wire wire_{pool_, 1, 512};
  burst_ring ring_{4, burst_size};
  mbuf_ring handed_{"handover_test", room, mbuf_ring::writers::many};
  pipeline_counters from_;
  pipeline_counters to_;
  transmit_job job_{0, ring_, make_egresses(), from_.departures, packets_lie::in_own_cache, link()};
  with_handed_over<counted_rx_queue> source_{counted_rx_queue{wire_.right.rx(queue_id{0}), to_.arrivals}, handed_,
                                             to_.received};
};

TEST_F(handover, is_counted_where_packets_leave_and_where_they_come) {
  finish(20, verdict::hand_over(gpu_position{1}));
  EXPECT_EQ(from_.departures.handed_over.read(), 20U);
  EXPECT_EQ(from_.departures.gone(), 20U);
  EXPECT_EQ(from_.departures.dropped_packets.read(), 0U);
  EXPECT_EQ(receive(64), 20U);
  EXPECT_EQ(to_.received.handed_in.read(), 20U);
  EXPECT_EQ(to_.arrivals.packets.read(), 0U) << "no port has received them again";
  EXPECT_EQ(to_.in_flight(), 20U) << "until they leave";
}

// The bound of the way between GPUs, attacked: the newest packets are dropped by name, and those of the port go on.
TEST_F(handover, drops_by_name_what_finds_no_room) {
  for (int n = 0; n < 5; ++n) finish(burst_size, verdict::hand_over(gpu_position{1}));
  EXPECT_EQ(from_.departures.handed_over.read(), room);
  EXPECT_EQ(dropped(drop_reason::gpu_handover_full), 5 * burst_size - room);
  EXPECT_EQ(from_.departures.gone(), 5 * burst_size);
}

TEST_F(handover, leaves_half_of_each_burst_to_the_port) {
  for (int n = 0; n < 2; ++n) finish(burst_size, verdict::hand_over(gpu_position{1}));
  send(64);
  for (int n = 0; n < 2; ++n) {
    EXPECT_EQ(receive(32), 32U);
    EXPECT_EQ(to_.received.handed_in.read(), 16U * static_cast<unsigned>(n + 1));
    EXPECT_EQ(to_.arrivals.packets.read(), 16U * static_cast<unsigned>(n + 1));
  }
}

TEST_F(handover, goes_on_when_the_port_is_no_longer_polled) {
  finish(10, verdict::hand_over(gpu_position{1}));
  packets into(32);
  auto const got = source_.take_held(into);
  EXPECT_EQ(got.count, 10U);
  rte_pktmbuf_free_bulk(into.data(), got.count);
}

}  // namespace
}  // namespace packetwarp
