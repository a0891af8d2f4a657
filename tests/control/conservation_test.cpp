// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "control/control_plane.h"
#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"
#include "function/router/router.h"

namespace packetwarp {
namespace {

using test::packet_builder;

constexpr auto left = static_cast<interface_index>(0);
constexpr auto right = static_cast<interface_index>(1);

// Every packet that goes in comes out once. Packets of all kinds, in any order, punted for any reason, with little room
// for waiting packets.
class conservation_test : public testing::Test {
 protected:
  conservation_test() {
    for (auto const* text : {"02:00:00:00:00:02", "02:00:00:00:00:12"}) {
      (void)table_.add_interface(wire::parse_mac(text).value(), 600);
    }
    table_.add_address(left, {wire::parse_ipv4("10.0.0.1").value(), 24});
    table_.add_address(left, {wire::parse_ipv6("2001:db8::1").value(), 64});
    table_.add_address(right, {wire::parse_ipv4("10.1.0.1").value(), 24});
    table_.set_route({wire::parse_ipv4("20.0.0.0").value(), 8},
                     neighbour_key{right, wire::parse_ipv4("10.1.0.2").value()});
  }

  [[nodiscard]] unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

  [[nodiscard]] test::bytes any_frame() {
    auto const host = [&] { return "10." + std::to_string(below(2)) + ".0." + std::to_string(below(9)); };
    auto const size = below(1200);
    packet_builder made;
    made.eth();
    switch (below(7)) {
      case 0:
        return made.arp_request(host(), host()).build();
      case 1:
        return made.ipv6("2001:db8::5", "2001:db8::1").icmp_echo(1, 2).payload(size).build();
      case 2:
        return made.ipv4(host(), host()).protocol(17).fragment(8 * (below(4)), below(2)).payload(16).build();
      case 3:
        return made.ipv4(host(), "20.0.0.1").ttl(below(3)).tcp(1, 2).payload(size).build();
      case 4:
        return test::bytes(below(80), std::byte{0x45});
      case 5:
        return made.ipv4(host(), "203.0.113.9").icmp_echo(1, 2).build();
      default:
        return made.ipv4(host(), host()).udp(1, 2).payload(size).build();
    }
  }

  // Each action's packet is one of the given packets or a new one, and none comes out twice. Fragments are copied:
  // their packets are back in the pool at once, and the fate of the copies is counted.
  void take(control_actions& actions) {
    for (auto const& action : actions) {
      if (action.what == control_action::kind::lost) {
        ASSERT_EQ(action.packet, nullptr);
        ++outcomes_[action.what];
        continue;
      }
      ASSERT_NE(action.packet, nullptr);
      ASSERT_LT(static_cast<std::size_t>(action.interface), table_.interfaces());
      ASSERT_EQ(rte_mbuf_check(action.packet, 1, nullptr), 0);
      ASSERT_EQ(rte_mbuf_refcnt_read(action.packet), 1);
      ++outcomes_[action.what];
      rte_pktmbuf_free(action.packet);
    }
    actions.clear();
    ASSERT_EQ(pool_.available() + plane_.mbufs_held(), pool_.config().packets);
  }

  std::mt19937 random_{4861};
  packet_pool pool_{test::small_pool("conservation")};
  router_table table_;
  control_plane plane_{
      table_,
      pool_.get(),
      {.neighbours = {.held_each = 2, .held = 8, .neighbours = 6}, .fragments = {.datagrams = 3, .fragments = 3}}};
  std::map<control_action::kind, unsigned> outcomes_;
};

TEST_F(conservation_test, of_packets_punted_for_any_reason) {
  control_time now{};
  control_actions actions;
  for (int n = 0; n < 50'000; ++n) {
    auto* const packet = test::make_packet(pool_, any_frame());
    auto const why = static_cast<punt_reason>(below(punt_reasons));
    plane_.handle(packet, why, below(2) == 0 ? left : right, now, actions);
    ASSERT_NO_FATAL_FAILURE(take(actions)) << n << ", punted as " << to_string(why);
    if (below(8) != 0) continue;
    now += std::chrono::milliseconds{below(3000)};
    plane_.tick(now, actions);
    ASSERT_NO_FATAL_FAILURE(take(actions)) << n;
  }
  plane_.give_up(actions);
  ASSERT_NO_FATAL_FAILURE(take(actions));
  EXPECT_EQ(plane_.held(), 0u);
  EXPECT_EQ(outcomes_.size(), 5u) << "packets were sent, put back, handed to the kernel, dropped and lost";
}

TEST_F(conservation_test, of_packets_when_the_pool_is_empty) {
  std::vector<rte_mbuf*> hoard;
  for (auto* one = rte_pktmbuf_alloc(&pool_.get()); one != nullptr; one = rte_pktmbuf_alloc(&pool_.get())) {
    hoard.push_back(one);
  }
  ASSERT_EQ(hoard.size(), pool_.config().packets);
  auto const frame = packet_builder{}.eth().ipv4("10.0.0.5", "203.0.113.9").udp(1, 2).build();
  auto* const packet = hoard.back();
  hoard.pop_back();
  std::copy(frame.begin(), frame.end(),
            reinterpret_cast<std::byte*>(rte_pktmbuf_append(packet, static_cast<std::uint16_t>(frame.size()))));
  control_actions actions;
  plane_.handle(packet, punt_reason::unreachable, left, {}, actions);
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].packet, packet);
  EXPECT_EQ(actions[0].why, control_drop::no_memory);
  rte_pktmbuf_free(packet);
  for (auto* one : hoard) rte_pktmbuf_free(one);
}

TEST_F(conservation_test, of_packets_that_are_held_at_the_end) {
  auto const frame = packet_builder{}.eth().ipv4("10.0.0.5", "10.1.0.7").udp(1, 2).build();
  {
    control_plane short_lived{table_, pool_.get()};
    control_actions actions;
    short_lived.handle(test::make_packet(pool_, frame), punt_reason::neighbour_unknown, left, {}, actions);
    EXPECT_EQ(short_lived.held(), 1u);
    for (auto const& action : actions) rte_pktmbuf_free(action.packet);
  }
  EXPECT_EQ(pool_.available(), pool_.config().packets);
}

}  // namespace
}  // namespace packetwarp
