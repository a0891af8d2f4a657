// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "routing/router_table.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "fixtures/packet_builder.h"
#include "function/router/router.h"

namespace packetwarp {
namespace {

constexpr auto first = static_cast<interface_index>(0);
constexpr auto second = static_cast<interface_index>(1);
// Small, so that room runs out soon.
constexpr router_limits small{.interfaces = 2, .ipv4_groups = 8, .ipv6_groups = 64, .next_hops = 2, .hosts = 8};

ip_address at(std::string_view text) {
  if (auto const ipv4 = wire::parse_ipv4(text)) return *ipv4;
  return wire::parse_ipv6(text).value();
}
wire::mac_address mac(std::string_view text) { return wire::parse_mac(text).value(); }

class router_table_test : public testing::Test {
 protected:
  router_table_test() {
    (void)table_.add_interface(mac("02:00:00:00:00:02"), 1500);
    (void)table_.add_interface(mac("02:00:00:00:00:12"), 1500);
    table_.add_address(first, {at("10.0.0.1"), 24});
    table_.add_address(second, {at("10.1.0.1"), 24});
  }
  // The data path's verdict for a packet to this address that comes in by the first interface.
  [[nodiscard]] verdict sent_to(std::string_view to) {
    test::packet_builder made;
    made.eth();
    bool const is_ipv4 = std::holds_alternative<wire::ipv4_address>(at(to));
    frame_ = (is_ipv4 ? made.ipv4("10.0.0.9", to) : made.ipv6("2001:db8:2::9", to)).udp(1, 2).build();
    auto const size = static_cast<std::uint32_t>(frame_.size());
    return router::process({frame_.data(), size, size}, table_.cpu(first));
  }
  [[nodiscard]] std::string mac_sent_to() const { return wire::to_text(wire::load_mac(frame_.data())); }

  router_table table_{{}, small};
  test::bytes frame_;
  verdict const forwarded_{verdict::forward(egress_index{1})};
  verdict const unknown_{verdict::punt(punt_reason::neighbour_unknown)};
  verdict const unreachable_{verdict::punt(punt_reason::unreachable)};
};

TEST_F(router_table_test, changes_where_a_route_leads) {
  table_.set_route({at("20.0.0.0"), 8}, discard{});
  EXPECT_EQ(sent_to("20.1.1.1"), routing::drop(routing::fault::discard_route));
  table_.set_route({at("20.0.0.0"), 8}, neighbour_key{second, at("10.1.0.2")});
  EXPECT_EQ(sent_to("20.1.1.1"), unknown_);
  table_.set_route({at("20.0.0.0"), 8}, on_link{second});
  EXPECT_EQ(sent_to("20.1.1.1"), unknown_);
  EXPECT_TRUE(table_.remove_route({at("20.0.0.0"), 8}));
  EXPECT_FALSE(table_.remove_route({at("20.0.0.0"), 8}));
  EXPECT_EQ(sent_to("20.1.1.1"), unreachable_);
}

TEST_F(router_table_test, learns_changes_and_forgets_a_neighbour) {
  neighbour_key const host{second, at("10.1.0.2")};
  table_.set_route({at("20.0.0.0"), 8}, host);
  for (auto const* text : {"02:00:00:00:07:01", "02:00:00:00:07:02"}) {
    ASSERT_TRUE(table_.set_neighbour(host, mac(text)));
    for (auto const* to : {"10.1.0.2", "20.1.1.1"}) {
      EXPECT_EQ(sent_to(to), forwarded_);
      EXPECT_EQ(mac_sent_to(), text);
    }
  }
  table_.forget_neighbour(host);
  EXPECT_EQ(sent_to("10.1.0.2"), unknown_);
  EXPECT_EQ(sent_to("20.1.1.1"), unknown_);
}

TEST_F(router_table_test, resolves_as_the_data_path_does) {
  table_.set_route({at("20.0.0.0"), 8}, neighbour_key{second, at("10.1.0.2")});
  EXPECT_EQ(table_.resolve(at("20.1.1.1")), (neighbour_key{second, at("10.1.0.2")}));
  EXPECT_EQ(table_.resolve(at("10.0.0.77")), (neighbour_key{first, at("10.0.0.77")}));
  for (auto const* nobody : {"10.0.0.1", "10.0.0.255", "30.0.0.1"}) EXPECT_EQ(table_.resolve(at(nobody)), std::nullopt);
  EXPECT_EQ(table_.kind_of(at("10.1.0.1")), next_hop_kind::local);
  EXPECT_EQ(table_.kind_of(at("10.1.0.255")), next_hop_kind::broadcast);
  EXPECT_EQ(table_.kind_of(at("30.0.0.1")), next_hop_kind::none);
}

TEST_F(router_table_test, knows_own_addresses_until_they_are_removed) {
  EXPECT_TRUE(table_.is_own(at("10.0.0.1")));
  EXPECT_TRUE(table_.is_own(at("fe80::ff:fe00:2"))) << "made of the MAC address";
  EXPECT_EQ(sent_to("10.1.0.1"), verdict::punt());
  table_.remove_address(second, {at("10.1.0.1"), 24});
  EXPECT_FALSE(table_.is_own(at("10.1.0.1")));
  EXPECT_EQ(sent_to("10.1.0.1"), unreachable_);
  EXPECT_EQ(sent_to("10.1.0.255"), unreachable_);
}

TEST_F(router_table_test, has_a_link_local_address_on_its_own_link_only) {
  auto const own = at("fe80::ff:fe00:2");
  EXPECT_TRUE(table_.is_own(first, own));
  EXPECT_FALSE(table_.is_own(second, own));
  EXPECT_TRUE(table_.set_neighbour({second, own}, mac("02:00:00:00:00:02")));
  EXPECT_THROW((void)table_.set_neighbour({first, own}, mac("02:00:00:00:00:02")), usage_error);
  for (auto const interface : {first, second}) table_.add_address(interface, {at("fe80::77"), 64});
  table_.remove_address(first, {at("fe80::77"), 64});
  EXPECT_FALSE(table_.is_own(first, at("fe80::77")));
  EXPECT_TRUE(table_.is_own(second, at("fe80::77")));
  EXPECT_TRUE(table_.is_own(at("fe80::77"))) << "on any link";
}

TEST_F(router_table_test, keeps_a_prefix_that_another_address_is_in) {
  table_.add_address(second, {at("10.1.0.100"), 24});
  table_.remove_address(second, {at("10.1.0.1"), 24});
  EXPECT_EQ(sent_to("10.1.0.7"), unknown_);
  EXPECT_EQ(sent_to("10.1.0.255"), routing::drop(routing::fault::directed_broadcast));
}

TEST_F(router_table_test, has_the_anycast_address_of_a_subnet_as_long_as_an_address_is_in_it) {
  table_.add_address(second, {at("2001:db8::1"), 64});
  table_.add_address(second, {at("2001:db8::2"), 64});
  EXPECT_EQ(table_.kind_of(at("2001:db8::")), next_hop_kind::local);
  table_.remove_address(second, {at("2001:db8::1"), 64});
  EXPECT_TRUE(table_.is_own(at("2001:db8::")));
  table_.remove_address(second, {at("2001:db8::2"), 64});
  EXPECT_FALSE(table_.is_own(at("2001:db8::")));
  table_.add_address(second, {at("2001:db8::3"), 127});
  EXPECT_FALSE(table_.is_own(at("2001:db8::2"))) << "links of two hosts have none (RFC 6164)";
  EXPECT_FALSE(table_.is_own(at("fe80::")));
}

TEST_F(router_table_test, says_when_there_is_no_room_for_a_next_hop) {
  neighbour_key const hosts[]{{second, at("10.1.0.2")}, {second, at("10.1.0.3")}, {second, at("10.1.0.4")}};
  ASSERT_TRUE(table_.set_neighbour(hosts[0], mac("02:00:00:00:07:01")));
  table_.set_route({at("20.0.0.0"), 8}, hosts[1]);
  EXPECT_FALSE(table_.set_neighbour(hosts[2], mac("02:00:00:00:07:03")));
  EXPECT_THROW(table_.set_route({at("30.0.0.0"), 8}, hosts[2]), failure);
  EXPECT_EQ(sent_to("30.1.1.1"), unreachable_);
  // An executor may still use a hop that was given up.
  table_.forget_neighbour(hosts[0]);
  EXPECT_FALSE(table_.set_neighbour(hosts[2], mac("02:00:00:00:07:03")));
  table_.commit();
  table_.reclaim();
  EXPECT_TRUE(table_.set_neighbour(hosts[2], mac("02:00:00:00:07:03")));
  EXPECT_EQ(sent_to("10.1.0.4"), forwarded_);
}

TEST_F(router_table_test, what_is_given_up_behind_a_mark_is_not_used_again_yet) {
  neighbour_key const hosts[]{{second, at("10.1.0.2")}, {second, at("10.1.0.3")}, {second, at("10.1.0.4")}};
  ASSERT_TRUE(table_.set_neighbour(hosts[0], mac("02:00:00:00:07:01")));
  table_.set_route({at("20.0.0.0"), 8}, hosts[1]);
  table_.forget_neighbour(hosts[0]);
  table_.commit();
  table_.mark();
  ASSERT_TRUE(table_.remove_route({at("20.0.0.0"), 8}));
  table_.commit();
  table_.reclaim();
  EXPECT_TRUE(table_.set_neighbour(hosts[2], mac("02:00:00:00:07:03"))) << "what was given up before";
  EXPECT_FALSE(table_.set_neighbour(hosts[0], mac("02:00:00:00:07:01"))) << "what packets may have met since";
  table_.mark();
  table_.reclaim();
  EXPECT_TRUE(table_.set_neighbour(hosts[0], mac("02:00:00:00:07:01")));
}

TEST_F(router_table_test, says_when_there_is_no_room_for_a_prefix_and_keeps_its_next_hops) {
  for (unsigned n = 0; n < small.ipv4_groups; ++n) {
    table_.set_route({at("40." + std::to_string(n) + ".0.0"), 32}, discard{});
  }
  for (int n = 0; n < 10; ++n) {
    EXPECT_THROW(table_.set_route({at("50.0.0.0"), 32}, neighbour_key{second, at("10.1.0.2")}), failure);
  }
  table_.commit();
  table_.reclaim();
  EXPECT_TRUE(table_.set_neighbour({second, at("10.1.0.3")}, mac("02:00:00:00:07:01")));
  EXPECT_TRUE(table_.set_neighbour({second, at("10.1.0.4")}, mac("02:00:00:00:07:02"))) << "none was lost";
}

TEST_F(router_table_test, refuses_what_makes_no_sense) {
  EXPECT_THROW((void)table_.add_interface(mac("02:00:00:00:00:22"), 1500), usage_error) << "no room";
  EXPECT_THROW(table_.add_address(first, {at("10.0.0.1"), 33}), usage_error);
  EXPECT_THROW(table_.add_address(first, {at("224.0.0.1"), 24}), usage_error);
  EXPECT_THROW(table_.add_address(static_cast<interface_index>(2), {at("10.2.0.1"), 24}), usage_error);
  EXPECT_THROW(table_.set_route({at("2001:db8::"), 129}, discard{}), usage_error);
  EXPECT_THROW(table_.set_route({at("20.0.0.0"), 8}, on_link{static_cast<interface_index>(2)}), usage_error);
  for (auto const* bad : {"ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01", "00:00:00:00:00:00"}) {
    EXPECT_THROW((void)table_.set_neighbour({first, at("10.0.0.2")}, mac(bad)), usage_error) << bad;
  }
  EXPECT_THROW((void)table_.set_neighbour({first, at("10.0.0.1")}, mac("02:00:00:00:07:01")), usage_error);
  router_table empty{{}, small};
  EXPECT_THROW((void)empty.add_interface(mac("01:00:00:00:00:02"), 1500), usage_error);
  EXPECT_THROW((void)empty.add_interface(mac("02:00:00:00:00:02"), 67), usage_error);
}

TEST_F(router_table_test, no_neighbour_takes_a_broadcast_address) {
  auto const kept = routing::drop(routing::fault::directed_broadcast);
  neighbour_key const taken{second, at("10.1.0.255")};
  EXPECT_THROW((void)table_.set_neighbour(taken, mac("02:00:00:00:07:01")), usage_error);
  EXPECT_THROW(table_.check_neighbour(taken, mac("02:00:00:00:07:01")), usage_error);
  EXPECT_EQ(sent_to("10.1.0.255"), kept);
  // A neighbour that was there before the prefix whose broadcast address it has.
  neighbour_key const earlier{second, at("20.1.1.255")};
  table_.set_route({at("20.1.0.0"), 16}, on_link{second});
  ASSERT_TRUE(table_.set_neighbour(earlier, mac("02:00:00:00:07:01")));
  EXPECT_EQ(sent_to("20.1.1.255"), forwarded_);
  table_.add_address(second, {at("20.1.1.1"), 24});
  EXPECT_EQ(sent_to("20.1.1.255"), kept);
  EXPECT_TRUE(table_.renew_neighbour(earlier)) << "nothing is short of room";
  EXPECT_EQ(sent_to("20.1.1.255"), kept);
  table_.forget_neighbour(earlier);
  EXPECT_EQ(sent_to("20.1.1.255"), kept);
}

TEST_F(router_table_test, finds_a_known_neighbour_once_a_route_puts_it_on_the_wire) {
  neighbour_key const host{second, at("20.1.1.1")};
  ASSERT_TRUE(table_.set_neighbour(host, mac("02:00:00:00:07:01")));
  ASSERT_TRUE(table_.set_neighbour({second, at("20.1.2.1")}, mac("02:00:00:00:07:02")));
  EXPECT_EQ(sent_to("20.1.1.1"), unreachable_);
  table_.set_route({at("20.1.0.9"), 16}, on_link{second});
  EXPECT_EQ(sent_to("20.1.1.1"), forwarded_);
  EXPECT_EQ(mac_sent_to(), "02:00:00:00:07:01");
  EXPECT_EQ(sent_to("20.1.2.1"), forwarded_);
  EXPECT_EQ(sent_to("20.1.2.2"), unknown_);
  table_.forget_neighbour(host);
  EXPECT_EQ(sent_to("20.1.1.1"), unknown_);
}

TEST_F(router_table_test, finds_a_known_neighbour_once_no_other_route_is_in_front_of_it) {
  table_.set_route({at("10.1.0.128"), 25}, discard{});
  ASSERT_TRUE(table_.set_neighbour({second, at("10.1.0.200")}, mac("02:00:00:00:07:01")));
  EXPECT_EQ(sent_to("10.1.0.200"), routing::drop(routing::fault::discard_route));
  EXPECT_TRUE(table_.remove_route({at("10.1.0.128"), 25}));
  EXPECT_EQ(sent_to("10.1.0.200"), forwarded_);
  EXPECT_EQ(mac_sent_to(), "02:00:00:00:07:01");
}

TEST_F(router_table_test, asks_for_a_known_host_on_the_wire_that_its_prefix_has_moved_to) {
  for (auto const* to : {"20.1.1.1", "2001:db8::9"}) {
    ip_prefix const around{at(to), 24};
    neighbour_key const there{second, at(to)};
    neighbour_key const here{first, at(to)};
    table_.set_route(around, on_link{second});
    ASSERT_TRUE(table_.set_neighbour(there, mac("02:00:00:00:07:01")));
    EXPECT_EQ(sent_to(to), forwarded_);
    table_.set_route(around, on_link{first});
    EXPECT_EQ(sent_to(to), unknown_) << to;
    EXPECT_EQ(table_.resolve(at(to)), here);
    ASSERT_TRUE(table_.set_neighbour(here, mac("02:00:00:00:07:02")));
    EXPECT_EQ(sent_to(to), verdict::forward(egress_index{0})) << to;
    EXPECT_EQ(mac_sent_to(), "02:00:00:00:07:02");
    table_.set_route(around, on_link{second});
    EXPECT_EQ(sent_to(to), forwarded_) << to;
    EXPECT_EQ(mac_sent_to(), "02:00:00:00:07:01");
    for (auto const& known : {here, there}) table_.forget_neighbour(known);
    table_.commit();
    table_.reclaim();
  }
}

TEST_F(router_table_test, answers_at_its_own_addresses_whichever_wire_their_prefix_is_on) {
  table_.set_route({at("10.0.0.0"), 25}, on_link{second});
  table_.set_route({at("10.1.0.0"), 25}, on_link{first});
  for (auto const* own : {"10.0.0.1", "10.1.0.1"}) EXPECT_EQ(sent_to(own), verdict::punt()) << own;
  table_.set_route({at("10.1.0.128"), 25}, on_link{first});
  EXPECT_EQ(sent_to("10.1.0.255"), routing::drop(routing::fault::directed_broadcast));
}

TEST_F(router_table_test, looks_for_known_neighbours_in_slices) {
  for (auto const* text : {"20.1.1.1", "20.1.1.2"}) {
    ASSERT_TRUE(table_.set_neighbour({second, at(text)}, mac("02:00:00:00:07:01")));
  }
  table_.begin_set_route({at("20.1.1.0"), 24}, on_link{second});
  std::size_t entries = 40;
  EXPECT_FALSE(table_.step_route(entries));
  EXPECT_EQ(sent_to("20.1.1.1"), forwarded_);
  EXPECT_EQ(sent_to("20.1.1.2"), unknown_);
  entries = 40;
  EXPECT_TRUE(table_.step_route(entries));
  EXPECT_EQ(sent_to("20.1.1.2"), forwarded_);
}

// Hosts come and go, so that searches pass by slots that were used.
TEST(host_table, finds_what_is_in_it_and_nothing_else) {
  ipv6_host_table table{{}, 64};
  auto const host = [](std::uint64_t n) { return wire::ipv6_address{0x2001'0db8'0000'0000, n}; };
  for (std::uint64_t round = 0; round < 200; ++round) {
    for (std::uint64_t n = 0; n < 64; ++n)
      ASSERT_TRUE(table.set(host(round * 64 + n), static_cast<std::uint32_t>(n + 1)));
    EXPECT_FALSE(table.set(host(1'000'000), 1)) << "full";
    for (std::uint64_t n = 0; n < 64; ++n) ASSERT_EQ(table.get(host(round * 64 + n)), n + 1);
    ASSERT_EQ(table.get(host((round + 1) * 64)), 0u);
    for (std::uint64_t n = 0; n < 64; ++n) ASSERT_TRUE(table.remove(host(round * 64 + (n * 37) % 64)));
    ASSERT_EQ(table.size(), 0u);
  }
  for (std::size_t n = 0; n <= table.mask(); ++n)
    ASSERT_EQ(table.host()[n].entry, 0u) << "no search is longer than it was";
}

// The route for readers: its prefix, and its target.
std::string said_of(router_table const& table, std::string_view to) {
  auto const found = table.route_to(at(to));
  if (!found) return "none";
  auto text = to_text(found->to.address) + "/" + std::to_string(found->to.length);
  if (found->kind == next_hop_kind::discard) return text + " discard";
  if (found->via) text += " via " + to_text(*found->via);
  return text + " on " + std::to_string(static_cast<unsigned>(found->interface));
}

TEST_F(router_table_test, says_by_which_route_an_address_goes) {
  table_.add_address(first, {at("2001:db8::1"), 64});
  table_.set_route({at("20.0.0.0"), 8}, neighbour_key{second, at("10.1.0.2")});
  table_.set_route({at("20.1.2.128"), 25}, discard{});
  table_.set_route({at("2001:db8:0:8000::"), 49}, neighbour_key{first, at("2001:db8::2")});
  EXPECT_EQ(said_of(table_, "20.9.9.9"), "20.0.0.0/8 via 10.1.0.2 on 1");
  EXPECT_EQ(said_of(table_, "20.1.2.127"), "20.0.0.0/8 via 10.1.0.2 on 1");
  EXPECT_EQ(said_of(table_, "20.1.2.200"), "20.1.2.128/25 discard");
  EXPECT_EQ(said_of(table_, "10.0.0.77"), "10.0.0.0/24 on 0");
  EXPECT_EQ(said_of(table_, "21.0.0.0"), "none");
  EXPECT_EQ(said_of(table_, "2001:db8:0:8001::1"), "2001:db8:0:8000::/49 via 2001:db8::2 on 0");
  EXPECT_EQ(said_of(table_, "2001:db8::99"), "2001:db8::/64 on 0");
  EXPECT_EQ(said_of(table_, "2001:db8:1::"), "none");
}

TEST_F(router_table_test, says_what_packets_meet_while_a_route_changes) {
  table_.begin_set_route({at("20.0.0.0"), 8}, discard{});
  std::size_t entries = 256;  // up to 20.0.255.255
  ASSERT_FALSE(table_.step_route(entries));
  for (auto const* to : {"20.0.9.9", "20.200.0.0"}) {
    bool const is_discarded = sent_to(to) == routing::drop(routing::fault::discard_route);
    EXPECT_EQ(said_of(table_, to), is_discarded ? "20.0.0.0/8 discard" : "none") << to;
  }
  EXPECT_NE(said_of(table_, "20.0.9.9"), said_of(table_, "20.200.0.0"));
}

TEST_F(router_table_test, says_how_full_it_is) {
  auto const before = table_.occupied();
  EXPECT_EQ(before.ipv4_routes, 2u);
  EXPECT_EQ(before.next_hops.used, 0u);
  EXPECT_EQ(before.next_hops.room, small.next_hops);
  table_.set_route({at("20.1.2.128"), 25}, neighbour_key{second, at("10.1.0.2")});
  ASSERT_TRUE(table_.set_neighbour({second, at("10.1.0.2")}, mac("02:00:00:00:07:01")));
  auto const after = table_.occupied();
  EXPECT_EQ(after.ipv4_routes, 3u);
  EXPECT_EQ(after.ipv4_groups.used, before.ipv4_groups.used + 1);
  EXPECT_EQ(after.next_hops.used, 1u);
  EXPECT_EQ(after.ipv4_hosts.used, before.ipv4_hosts.used + 1);
  EXPECT_EQ(after.ipv6_hosts.used, before.ipv6_hosts.used);
}

}  // namespace
}  // namespace packetwarp
