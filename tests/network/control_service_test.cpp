// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "network/control_service.h"

#include <gtest/gtest.h>

#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"

namespace packetwarp {
namespace {

// A router with one port and one pipeline, which receives nothing.
class control_service_test : public testing::Test {
 protected:
  control_service_test() {
    auto const own = table_.add_interface(wire::parse_mac("02:00:00:00:00:02").value(), 1500);
    table_.add_address(own, {wire::parse_ipv4("10.0.0.1").value(), 24});
    (void)table_.set_neighbour({own, wire::parse_ipv4("10.0.0.9").value()},
                               wire::parse_mac("02:00:00:00:07:01").value());
  }
  [[nodiscard]] static plan one_port() {
    plan made;
    made.ports.resize(1);
    made.pipelines.resize(1);
    return made;
  }
  void punt_to_known_neighbour() {
    auto const frame = test::packet_builder{}.eth().ipv4("10.0.0.5", "10.0.0.9").udp(1, 2).build();
    auto* packet = test::make_packet(pool_, frame);
    ASSERT_EQ(desk_.punt({&packet, 1}, {.why = punt_reason::neighbour_unknown, .port = 0}, now_cycles()).taken, 1U);
  }

  packet_pool pool_{test::small_pool("control_service_test")};
  router_table table_;
  control_plane plane_{table_, pool_.get()};
  control_desk desk_{1, 1};
  control_service service_{one_port(), desk_, plane_, {nullptr}, nullptr};
};

TEST_F(control_service_test, packets_that_were_put_back_and_not_received_are_counted_at_the_end) {
  for (int n = 0; n < 2; ++n) punt_to_known_neighbour();
  service_.poll(now_cycles());
  EXPECT_EQ(service_.counters().put_back.read(), 2U);
  rte_mbuf* received = nullptr;
  ASSERT_EQ(desk_.doors_of(0).returned.take({&received, 1}), 1U);
  rte_pktmbuf_free(received);
  service_.give_up();
  EXPECT_EQ(service_.counters().put_back.read(), 1U);
  EXPECT_EQ(service_.counters().shutdown.read(), 1U);
  EXPECT_EQ(pool_.available(), pool_.config().packets);
}

}  // namespace
}  // namespace packetwarp
