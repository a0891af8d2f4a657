// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/replay/rx_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rte_malloc.h>

#include "base/error.h"
#include "fixtures/mbufs.h"
#include "fixtures/null_port.h"
#include "fixtures/wire.h"

namespace packetwarp {
namespace {

using frame = std::vector<std::byte>;

// A file's frames of these lengths; each byte says which frame it is of, and where.
struct frames_of {
  explicit frames_of(std::vector<std::size_t> const& lengths) {
    for (auto const length : lengths) {
      frame made(length);
      for (std::size_t n = 0; n < length; ++n) made[n] = static_cast<std::byte>(all.size() * 31 + n + 1);
      all.push_back(std::move(made));
    }
    for (auto const& one : all) list.frames.emplace_back(one);
  }
  std::vector<frame> all;
  frame_list list{.file = "test.pcap", .frames = {}};
};

class rx_replay_test : public testing::Test {
 protected:
  // This many packets, in bursts of `burst`, as they come out of the queue.
  std::vector<frame> received(std::uint16_t queue, std::size_t count, std::size_t burst) {
    std::vector<frame> all;
    while (all.size() < count) {
      std::vector<rte_mbuf*> sent;
      while (sent.size() < std::min(burst, count - all.size())) {
        sent.push_back(test::make_packet(pool_, frame(100, std::byte{0xee})));
      }
      EXPECT_EQ(wire_.left.tx(queue_id{queue}).send(sent), sent.size());
      for (auto* const packet : test::receive_all(wire_.right.rx(queue_id{queue}))) {
        EXPECT_EQ(packet->pkt_len, packet->data_len);
        all.push_back(test::bytes_of(*packet));
        rte_pktmbuf_free(packet);
      }
    }
    return all;
  }
  // The numbers of these frames, one after the other and again.
  static void expect_rounds(std::vector<frame> const& got, frames_of const& of,
                            std::vector<std::size_t> const& numbers) {
    for (std::size_t n = 0; n < got.size(); ++n) {
      ASSERT_EQ(got[n], of.all[numbers[n % numbers.size()]]) << "packet " << n;
    }
  }
  packet_pool pool_{test::small_pool("rx_replay_test")};
  test::started_wire wire_{pool_, 3, 64};
  port const& to_{wire_.right};
};

TEST_F(rx_replay_test, writes_frames_of_any_lengths_over_packets_in_order_and_again) {
  frames_of const file{{60, 14, 64, 65, 128, 129, 1514, 2048}};
  for (auto const by : {worked_on::by_core, worked_on::by_gpu}) {
    rx_replay const replay{to_, 1, pool_, file.list, by};
    for (auto const burst : {1u, 3u, 64u}) {
      expect_rounds(received(0, 240, burst), file, {0, 1, 2, 3, 4, 5, 6, 7});
    }
  }
}

TEST_F(rx_replay_test, writes_frames_of_one_length_in_order_and_again) {
  for (auto const length : {14u, 60u, 64u, 65u, 300u}) {
    for (auto const count : {1u, 2u, 63u, 64u, 101u}) {
      frames_of const file{std::vector<std::size_t>(count, length)};
      std::vector<std::size_t> numbers(count);
      for (std::size_t n = 0; n < count; ++n) numbers[n] = n;
      for (auto const by : {worked_on::by_core, worked_on::by_gpu}) {
        rx_replay const replay{to_, 1, pool_, file.list, by};
        expect_rounds(received(0, 2 * count + 70, 33), file, numbers);
      }
    }
  }
}

TEST_F(rx_replay_test, deals_frames_to_queues_in_turn) {
  frames_of const file{{60, 61, 62, 63, 64, 65, 66}};
  rx_replay const replay{to_, 3, pool_, file.list, worked_on::by_core};
  expect_rounds(received(0, 100, 8), file, {0, 3, 6});
  expect_rounds(received(1, 100, 8), file, {1, 4});
  expect_rounds(received(2, 100, 8), file, {2, 5});
}

TEST_F(rx_replay_test, gives_a_frame_that_another_has_too_to_queues_that_have_none) {
  frames_of const file{{60, 100}};
  rx_replay const replay{to_, 3, pool_, file.list, worked_on::by_core};
  expect_rounds(received(0, 5, 2), file, {0});
  expect_rounds(received(1, 5, 2), file, {1});
  expect_rounds(received(2, 5, 2), file, {0});
}

TEST_F(rx_replay_test, says_nothing_of_the_packet_that_was_there_before) {
  frames_of const file{{60}};
  rx_replay const replay{to_, 1, pool_, file.list, worked_on::by_core};
  // A chain whose data begins elsewhere, and fields that a NIC may have filled in.
  auto* sent = test::make_packet(pool_, frame(3000, std::byte{0xee}));
  ASSERT_EQ(sent->nb_segs, 2);
  ASSERT_NE(rte_pktmbuf_adj(sent, 100), nullptr);
  sent->packet_type = RTE_PTYPE_L4_TCP;
  sent->hash.rss = 77;
  ASSERT_EQ(wire_.left.tx(queue_id{0}).send(std::span{&sent, 1}), 1);
  auto const got = test::receive_all(wire_.right.rx(queue_id{0}));
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(test::bytes_of(*got[0]), file.all[0]);
  EXPECT_EQ(got[0]->nb_segs, 1);
  EXPECT_EQ(got[0]->next, nullptr);
  EXPECT_EQ(got[0]->packet_type, 0u);
  EXPECT_EQ(got[0]->hash.rss, 0u);
  rte_pktmbuf_free(got[0]);
  EXPECT_EQ(pool_.available(), pool_.config().packets) << "the second mbuf, too";
}

TEST_F(rx_replay_test, is_seen_by_who_looks_at_the_port_later) {
  frames_of const file{{60, 100}};
  rx_replay const replay{to_, 1, pool_, file.list, worked_on::by_core};
  std::vector<frame> seen;
  auto const* const look = rte_eth_add_rx_callback(
      to_.facts().id.value(), 0,
      [](std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t count, std::uint16_t, void* into) {
        for (auto const* packet : std::span{packets, count}) {
          static_cast<std::vector<frame>*>(into)->push_back(test::bytes_of(*packet));
        }
        return count;
      },
      &seen);
  expect_rounds(received(0, 10, 4), file, {0, 1});
  expect_rounds(seen, file, {0, 1});
  EXPECT_EQ(seen.size(), 10u);
  ASSERT_EQ(rte_eth_remove_rx_callback(to_.facts().id.value(), 0, look), 0);
  rte_free(const_cast<rte_eth_rxtx_callback*>(look));
}

TEST_F(rx_replay_test, leaves_packets_as_they_are_once_it_is_gone) {
  frames_of const file{{60}};
  { rx_replay const replay{to_, 3, pool_, file.list, worked_on::by_core}; }
  for (std::uint16_t q = 0; q < 3; ++q) EXPECT_EQ(received(q, 1, 1).front(), frame(100, std::byte{0xee}));
}

TEST_F(rx_replay_test, is_refused_on_a_queue_that_is_not_there) {
  frames_of const file{{60}};
  EXPECT_THROW((rx_replay{to_, 4, pool_, file.list, worked_on::by_core}), failure);
  EXPECT_EQ(received(0, 1, 1).front(), frame(100, std::byte{0xee})) << "nothing is left half made";
}

// A port that receives nothing by itself.
class rx_replay_of_its_own : public testing::Test {
 protected:
  std::vector<frame> received(std::uint16_t queue, std::size_t burst, unsigned bursts) {
    std::vector<frame> all;
    std::vector<rte_mbuf*> room(burst);
    for (unsigned n = 0; n < bursts; ++n) {
      auto const got = port_.rx(queue_id{queue}).receive(room);
      EXPECT_EQ(got, burst);
      for (auto* const packet : std::span{room}.first(got)) {
        expect_new(*packet);
        all.push_back(test::bytes_of(*packet));
        rte_pktmbuf_free(packet);
      }
    }
    return all;
  }
  // A packet of one mbuf must be as a driver hands it over.
  void expect_new(rte_mbuf const& packet) const {
    EXPECT_EQ(packet.data_off, RTE_PKTMBUF_HEADROOM);
    EXPECT_EQ(packet.refcnt, 1);
    EXPECT_EQ(packet.nb_segs, 1);
    EXPECT_EQ(packet.next, nullptr);
    EXPECT_EQ(packet.port, port_.facts().id.value());
    EXPECT_EQ(packet.ol_flags, 0u);
    EXPECT_EQ(packet.packet_type, 0u);
    EXPECT_EQ(packet.pkt_len, packet.data_len);
    EXPECT_EQ(packet.hash.rss, 0u);
  }
  // Packets in which every field that a driver fills in had another value, given back.
  void leave_traces() {
    std::vector<rte_mbuf*> all(pool_.available());
    ASSERT_EQ(rte_pktmbuf_alloc_bulk(&pool_.get(), all.data(), static_cast<unsigned>(all.size())), 0);
    for (auto* const packet : all) {
      packet->data_off = 3;
      packet->port = 77;
      packet->ol_flags = RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_TX_IP_CKSUM;
      packet->packet_type = RTE_PTYPE_L4_TCP;
      packet->vlan_tci = 5;
      packet->hash.rss = 99;
      rte_pktmbuf_free(packet);
    }
  }
  packet_pool pool_{test::small_pool("rx_replay_of_its_own")};
  test::null_device device_{"net_null_replays", "no-rx=1"};
  port port_{device_.facts(), {.rx_queues = 3, .tx_queues = 1}, pool_};
};

TEST_F(rx_replay_of_its_own, receives_as_many_frames_as_are_asked_for_in_order_and_again) {
  leave_traces();
  for (auto const& lengths :
       std::vector<std::vector<std::size_t>>{{60}, {60, 60, 60}, {300, 300}, {60, 14, 65, 1514}}) {
    frames_of const file{lengths};
    for (auto const by : {worked_on::by_core, worked_on::by_gpu}) {
      for (auto const burst : {1u, 7u, 8u, 9u, 64u, 200u}) {
        rx_replay const replay{port_, 1, pool_, file.list, by};
        auto const got = received(0, burst, 5);
        for (std::size_t n = 0; n < got.size(); ++n) ASSERT_EQ(got[n], file.all[n % file.all.size()]) << "packet " << n;
      }
    }
  }
  EXPECT_EQ(pool_.available(), pool_.config().packets);
}

TEST_F(rx_replay_of_its_own, deals_frames_to_queues_in_turn) {
  frames_of const file{{60, 61, 62, 63, 64}};
  rx_replay const replay{port_, 3, pool_, file.list, worked_on::by_core};
  EXPECT_THAT(received(0, 3, 1), testing::ElementsAre(file.all[0], file.all[3], file.all[0]));
  EXPECT_THAT(received(1, 3, 1), testing::ElementsAre(file.all[1], file.all[4], file.all[1]));
  EXPECT_THAT(received(2, 2, 1), testing::ElementsAre(file.all[2], file.all[2]));
}

TEST_F(rx_replay_of_its_own, receives_nothing_while_the_pool_has_fewer_packets_than_are_asked_for) {
  frames_of const file{{60}};
  rx_replay const replay{port_, 1, pool_, file.list, worked_on::by_core};
  std::vector<rte_mbuf*> others(pool_.available() - 7);
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(&pool_.get(), others.data(), static_cast<unsigned>(others.size())), 0);
  std::vector<rte_mbuf*> room(8);
  EXPECT_EQ(port_.rx(queue_id{0}).receive(room), 0);
  EXPECT_EQ(pool_.available(), 7u);
  rte_pktmbuf_free_bulk(others.data(), static_cast<unsigned>(others.size()));
  EXPECT_EQ(received(0, 8, 1).size(), 8u);
}

TEST_F(rx_replay_of_its_own, ends_with_it) {
  frames_of const file{{60}};
  { rx_replay const replay{port_, 3, pool_, file.list, worked_on::by_core}; }
  std::vector<rte_mbuf*> room(8);
  for (std::uint16_t q = 0; q < 3; ++q) EXPECT_EQ(port_.rx(queue_id{q}).receive(room), 0);
}

std::string room_refusal(frame_list const& list, std::uint32_t data_room) {
  try {
    require_room(list, data_room);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "fits";
}

TEST(replayed_frames, fit_where_there_is_room_for_whole_cache_lines) {
  frames_of const file{{60, 128, 14}};
  EXPECT_EQ(room_refusal(file.list, 128), "fits");
  EXPECT_EQ(room_refusal(file.list, 130), "fits");
  EXPECT_EQ(room_refusal(file.list, 127),
            "--replay: test.pcap: frame 2 has 128 bytes; a packet has room for one of 64 at most");
  EXPECT_EQ(room_refusal(frames_of{{60, 60, 129}}.list, 130),
            "--replay: test.pcap: frame 3 has 129 bytes; a packet has room for one of 128 at most");
}

}  // namespace
}  // namespace packetwarp
