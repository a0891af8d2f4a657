// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/ring_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "fixtures/mbufs.h"
#include "fixtures/wire.h"

namespace packetwarp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ring_wire_test : public testing::Test {
 protected:
  std::vector<rte_mbuf*> make_packets(std::size_t count) {
    std::vector<rte_mbuf*> made(count);
    for (auto& packet : made) packet = test::make_packet(pool_, std::vector<std::byte>(60));
    return made;
  }
  packet_pool pool_{test::small_pool("ring_wire_test", 1023)};
};

TEST_F(ring_wire_test, carries_packets_both_ways_queue_by_queue_in_order) {
  test::started_wire const wire{pool_, 3, 64};
  for (std::uint16_t q = 0; q < 3; ++q) {
    auto rightward = make_packets(3);
    auto leftward = make_packets(2);
    ASSERT_EQ(wire.left.tx(queue_id{q}).send(rightward), 3);
    ASSERT_EQ(wire.right.tx(queue_id{q}).send(leftward), 2);
    for (std::uint16_t other = 0; other < 3; ++other) {
      if (other == q) continue;
      EXPECT_THAT(test::receive_all(wire.right.rx(queue_id{other})), IsEmpty());
      EXPECT_THAT(test::receive_all(wire.left.rx(queue_id{other})), IsEmpty());
    }
    EXPECT_EQ(test::receive_all(wire.right.rx(queue_id{q})), rightward);
    EXPECT_EQ(test::receive_all(wire.left.rx(queue_id{q})), leftward);
    rte_pktmbuf_free_bulk(rightward.data(), 3);
    rte_pktmbuf_free_bulk(leftward.data(), 2);
  }
}

TEST_F(ring_wire_test, that_is_full_takes_what_fits_and_leaves_the_rest_to_the_sender) {
  for (auto const depth : {1u, 5u, 8u, 64u}) {
    test::started_wire const wire{pool_, 1, depth};
    auto packets = make_packets(70);
    EXPECT_EQ(wire.left.tx(queue_id{0}).send(packets), depth) << "as deep as asked for, no deeper";
    EXPECT_EQ(wire.left.tx(queue_id{0}).send(packets), 0);
    EXPECT_EQ(test::receive_all(wire.right.rx(queue_id{0})).size(), depth);
    rte_pktmbuf_free_bulk(packets.data(), 70);
  }
  EXPECT_EQ(pool_.available(), 1023u);
}

TEST_F(ring_wire_test, has_an_end_of_its_own_on_each_side) {
  auto const wire = test::make_wire(2, 8);
  auto const left = describe_port(wire.left());
  auto const right = describe_port(wire.right());
  EXPECT_NE(left.id, right.id);
  EXPECT_TRUE(left.name.ends_with("_left")) << left.name;
  EXPECT_TRUE(right.name.ends_with("_right")) << right.name;
  EXPECT_EQ(left.driver, "net_ring");
  EXPECT_EQ(left.max_rx_queues, 2);
  EXPECT_EQ(left.max_tx_queues, 2);
}

TEST_F(ring_wire_test, says_which_wire_could_not_be_made) {
  ring_wire const first{"twice", 1, 8};
  try {
    ring_wire const second{"twice", 1, 8};
    ADD_FAILURE() << "made twice";
  } catch (failure const& failed) {
    EXPECT_STREQ(failed.what(), "wire twice_r: a ring of 8 packets could not be made: File exists");
  }
}

}  // namespace
}  // namespace packetwarp
