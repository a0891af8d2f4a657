// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "control/control_plane.h"
#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"
#include "function/router/router.h"

namespace packetwarp {
namespace {

// Packets whose neighbour is known to the control plane and not to the data path.
class unknown_neighbour_test : public testing::Test {
 protected:
  static constexpr interface_index left{0};
  static constexpr interface_index right{1};

  // Two interfaces have four hosts: their own addresses and broadcast addresses. There is room for another.
  unknown_neighbour_test() {
    (void)table_.add_interface(mac("02:00:00:00:00:02"), 1500);
    (void)table_.add_interface(mac("02:00:00:00:00:12"), 1500);
    table_.add_address(left, {at("10.0.0.1"), 24});
    table_.add_address(right, {at("10.1.0.1"), 24});
  }

  // The control plane's only action for a punted packet to this address.
  [[nodiscard]] control_action handle(std::string_view to) {
    control_actions actions;
    auto* const packet = test::make_packet(pool_, frame_to(to));
    plane_.handle(packet, punt_reason::neighbour_unknown, left, {}, actions);
    EXPECT_EQ(actions.size(), 1u);
    for (auto const& action : actions) rte_pktmbuf_free(action.packet);
    return actions.at(0);
  }
  [[nodiscard]] verdict routed_to(std::string_view to) {
    auto frame = frame_to(to);
    auto const size = static_cast<std::uint32_t>(frame.size());
    return router::process({frame.data(), size, size}, table_.cpu(left));
  }
  [[nodiscard]] static ip_address at(std::string_view text) { return wire::parse_ipv4(text).value(); }
  [[nodiscard]] static wire::mac_address mac(std::string_view text) { return wire::parse_mac(text).value(); }
  [[nodiscard]] static test::bytes frame_to(std::string_view to) {
    return test::packet_builder{}.eth().ipv4("10.0.0.9", to).udp(1, 2).build();
  }

  packet_pool pool_{test::small_pool("unknown_neighbour")};
  router_table table_{{}, {.interfaces = 2, .ipv4_groups = 8, .ipv6_groups = 64, .next_hops = 4, .hosts = 5}};
  control_plane plane_{table_, pool_.get()};
};

TEST_F(unknown_neighbour_test, a_packet_that_would_come_back_for_ever_is_dropped_until_its_host_has_room) {
  control_actions none;
  plane_.add_neighbour({right, at("20.1.1.1")}, mac("02:00:00:00:07:01"), none);
  plane_.add_neighbour({right, at("10.1.0.9")}, mac("02:00:00:00:07:02"), none);
  table_.set_route({at("20.1.0.0"), 16}, on_link{right});
  ASSERT_EQ(routed_to("20.1.1.1"), verdict::punt(punt_reason::neighbour_unknown)) << "no room";
  auto const dropped = handle("20.1.1.1");
  EXPECT_EQ(dropped.what, control_action::kind::drop);
  EXPECT_EQ(dropped.why, control_drop::neighbours_full);
  plane_.remove_neighbour({right, at("10.1.0.9")}, none);
  EXPECT_EQ(handle("20.1.1.1").what, control_action::kind::put_back);
  EXPECT_EQ(routed_to("20.1.1.1"), verdict::forward(egress_index{1}));
}

}  // namespace
}  // namespace packetwarp
