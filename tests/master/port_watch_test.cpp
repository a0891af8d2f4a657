// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/port_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/log_reader.h"
#include "fixtures/mbufs.h"
#include "fixtures/wire.h"

namespace packetwarp {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(port_watch, says_once_that_a_link_went_down_and_once_that_it_came_up) {
  packet_pool const pool{test::small_pool("port_watch_test", 63)};
  auto const wire = test::make_wire(1, 8);
  std::deque<port> ports;
  ports.emplace_back(describe_port(wire.left()), port_config{}, pool);
  ports.emplace_back(describe_port(wire.right()), port_config{}, pool);
  port_watch watch{ports};
  test::log_reader logged;
  auto const second = static_cast<cycles>(cycles_per_second());
  cycles now = 0;
  watch.look(now += second);
  EXPECT_THAT(logged.read(), IsEmpty());

  ASSERT_EQ(rte_eth_dev_set_link_down(wire.right().value()), 0);
  watch.look(now + second / 100);
  EXPECT_THAT(logged.read(), IsEmpty()) << "it looks now and then only";
  watch.look(now += second);
  EXPECT_THAT(logged.read(), HasSubstr("port " + std::to_string(wire.right().value()) + " (" + ports[1].facts().name +
                                       "): link down"));
  watch.look(now += second);
  EXPECT_THAT(logged.read(), IsEmpty());

  ASSERT_EQ(rte_eth_dev_set_link_up(wire.right().value()), 0);
  watch.look(now += second);
  EXPECT_THAT(logged.read(), HasSubstr("link up"));
  EXPECT_FALSE(watch.all_gone());
}

// A port that is said to stand on a kernel interface, which does not exist.
TEST(port_watch, keeps_packets_from_a_driver_that_would_lose_them) {
  packet_pool const pool{test::small_pool("link_gate_test", 63)};
  auto const wire = test::make_wire(1, 8);
  auto facts = describe_port(wire.left());
  facts.driver = "net_af_packet";
  facts.interface_index = 0x7fff'fff0;
  std::deque<port> ports;
  ports.emplace_back(facts, port_config{}, pool);
  ports.emplace_back(describe_port(wire.right()), port_config{}, pool);
  EXPECT_EQ(ports[1].link(), nullptr) << "its driver says by itself that it takes nothing";
  auto* packet = rte_pktmbuf_alloc(&pool.get());
  auto const send = [&] { return ports[0].tx(queue_id{0}).send({&packet, 1}); };

  port_watch const left_open{ports};
  EXPECT_FALSE(ports[0].link()->is_shut());
  test::log_reader logged;
  port_watch watch{ports, link_gates::follow_links};
  EXPECT_FALSE(ports[0].link()->is_shut()) << "the kernel may not know of a new link yet";
  watch.look(static_cast<cycles>(cycles_per_second()));
  EXPECT_THAT(logged.read(), HasSubstr("is gone"));
  EXPECT_EQ(send(), 0) << "it is lost";
  ports[0].link()->open();
  EXPECT_EQ(send(), 1);
  EXPECT_EQ(test::receive_all(ports[1].rx(queue_id{0})), std::vector{packet});
  rte_pktmbuf_free(packet);
}

}  // namespace
}  // namespace packetwarp
