// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/compile/table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "flow/reference_flows.h"
#include "module/rules/rules_bed.h"

namespace packetwarp::flow {
namespace {

using test::packet_builder;
using test::rules_bed;

constexpr auto to_host = verdict::punt();

// Packets that differ in fields that rules can match.
packet_builder udp(std::string_view source = "10.0.0.1", std::string_view destination = "10.0.0.2",
                   unsigned from = 1000, unsigned to = 2000) {
  return packet_builder{}.eth().ipv4(source, destination).udp(from, to).payload(18);
}
packet_builder udp6() { return packet_builder{}.eth().ipv6().udp(1000, 2000).payload(18); }

// Whether a rule with this pattern matches the packet.
bool matches(std::string_view pattern, test::bytes const& packet) {
  rules_bed const bed{fmt::format("flow create 0 ingress pattern {} / end actions drop / end", pattern)};
  auto const said = bed.pass(0, packet).said;
  EXPECT_TRUE(said == rules_bed::dropped(rules::rule_drop) || said == to_host);
  return said != to_host;
}
bool matches(std::string_view pattern, packet_builder const& packet) { return matches(pattern, packet.build()); }

TEST(table, matches_ethernet) {
  EXPECT_TRUE(matches("eth", udp()));
  EXPECT_TRUE(matches("eth src is 02:00:00:00:00:01 dst is 02:00:00:00:00:02 type is 0x0800", udp()));
  EXPECT_FALSE(matches("eth src is 02:00:00:00:00:02", udp()));
  EXPECT_FALSE(matches("eth dst is 02:00:00:00:00:03", udp()));
  EXPECT_FALSE(matches("eth type is 0x86dd", udp()));
  EXPECT_TRUE(matches("eth dst spec 02:00:00:00:ff:ff dst prefix 32", udp()));
  EXPECT_FALSE(matches("eth dst spec 02:00:01:00:ff:ff dst prefix 32", udp()));
  // Without a mask it is rte_flow's own: both addresses.
  EXPECT_FALSE(matches("eth dst spec 02:00:00:00:00:02", udp()));
  EXPECT_TRUE(matches("eth dst spec 02:00:00:00:00:02 src spec 02:00:00:00:00:01 type spec 7", udp()));
}

TEST(table, matches_vlan_tags) {
  auto const one = packet_builder{}.eth().vlan(5, 3).ipv4().udp(1, 2).payload(18);
  auto const two = packet_builder{}.eth().service_vlan(100).vlan(5).ipv4().udp(1, 2).payload(18);
  EXPECT_TRUE(matches("eth / ipv4", one)) << "a pattern that says nothing of tags takes both";
  EXPECT_TRUE(matches("eth / vlan", one));
  EXPECT_FALSE(matches("eth / vlan", udp()));
  EXPECT_TRUE(matches("eth has_vlan is 0 / ipv4", udp()));
  EXPECT_FALSE(matches("eth has_vlan is 0 / ipv4", one));
  EXPECT_TRUE(matches("vlan vid is 5 pcp is 3 dei is 0 / ipv4 / udp", one));
  EXPECT_FALSE(matches("vlan vid is 6", one));
  EXPECT_FALSE(matches("vlan pcp is 2", one));
  EXPECT_TRUE(matches("vlan tci spec 0xf005", one)) << "the default mask is the identifier's";
  EXPECT_TRUE(matches("vlan inner_type is 0x0800", one));
  EXPECT_TRUE(matches("vlan vid is 100 / vlan vid is 5 / ipv4 / udp src is 1", two));
  EXPECT_FALSE(matches("vlan vid is 100 / vlan vid is 6", two));
  EXPECT_FALSE(matches("vlan / vlan", one));
  EXPECT_TRUE(matches("vlan has_more_vlan is 1", two));
  EXPECT_FALSE(matches("vlan has_more_vlan is 0", two));
}

TEST(table, passes_over_four_tags_of_the_types_that_it_knows) {
  auto four = packet_builder{}.eth().service_vlan(1).vlan(2).vlan(3).vlan(4);
  auto five = four;
  EXPECT_TRUE(matches("ipv4 / udp", four.ipv4().udp(1, 2).payload(18)));
  five.vlan(5).ipv4().udp(1, 2).payload(18);
  EXPECT_FALSE(matches("ipv4", five));
  EXPECT_TRUE(matches("vlan vid is 1 / vlan vid is 2", five));
  auto other = packet_builder{}.eth().vlan(5).ipv4().udp(1, 2).payload(18).build();
  other[12] = std::byte{0x91};
  EXPECT_TRUE(matches("eth type spec 0x9100 type mask 0xffff", other));
  EXPECT_FALSE(matches("vlan", other));
  EXPECT_FALSE(matches("ipv4", other));
}

TEST(table, matches_ipv4) {
  auto const packet = packet_builder{}.eth().ipv4("10.1.2.3", "192.168.0.9").ttl(17).udp(1, 2).payload(18);
  EXPECT_TRUE(matches("ipv4 src is 10.1.2.3 dst is 192.168.0.9 ttl is 17 proto is 17", packet));
  EXPECT_FALSE(matches("ipv4 src is 10.1.2.4", packet));
  EXPECT_FALSE(matches("ipv4 dst is 192.168.0.8", packet));
  EXPECT_FALSE(matches("ipv4 ttl is 16", packet));
  EXPECT_FALSE(matches("ipv4 proto is 6", packet));
  EXPECT_TRUE(matches("ipv4 version_ihl is 0x45 tos is 0 packet_id is 1 fragment_offset is 0", packet));
  EXPECT_TRUE(matches("ipv4 src spec 10.9.9.9 src prefix 8", packet));
  EXPECT_TRUE(matches("ipv4 src spec 10.0.2.0 src mask 255.0.255.0", packet));
  EXPECT_FALSE(matches("ipv4 src spec 10.0.3.0 src mask 255.0.255.0", packet));
  EXPECT_FALSE(matches("ipv4", udp6()));
}

TEST(table, matches_ipv6) {
  EXPECT_TRUE(matches("ipv6 src is 2001:db8::1 dst is 2001:db8::2 hop is 64 proto is 17 tc is 0 flow is 0", udp6()));
  EXPECT_FALSE(matches("ipv6 src is 2001:db8::3", udp6()));
  EXPECT_FALSE(matches("ipv6 hop is 63", udp6()));
  EXPECT_TRUE(matches("ipv6 dst spec 2001:db8:: dst prefix 64 / udp", udp6()));
  EXPECT_FALSE(matches("ipv6", udp()));
  auto const fragment = packet_builder{}.eth().ipv6().fragment6(0, 1).udp(1, 2).payload(16);
  EXPECT_TRUE(matches("ipv6 has_frag_ext is 1", fragment));
  EXPECT_FALSE(matches("ipv6 has_frag_ext is 1", udp6()));
  EXPECT_TRUE(matches("ipv6 has_frag_ext is 0", udp6()));
}

// A packet of which an attacker has chosen the extension headers must not pass a rule that drops its source.
TEST(table, an_ipv6_header_counts_whatever_its_extension_headers_are) {
  constexpr char const* source = "ipv6 src is 2001:db8::1";
  auto too_many = packet_builder{}.eth().ipv6();
  for (unsigned n = 0; n <= wire::max_ipv6_extensions; ++n) too_many.destination_options();
  too_many.udp(1000, 2000).payload(18);
  EXPECT_TRUE(matches(source, too_many));
  EXPECT_FALSE(matches("ipv6 src is 2001:db8::3", too_many));
  EXPECT_FALSE(matches("ipv6 / udp", too_many)) << "where its transport header starts is not known";
  EXPECT_TRUE(matches("ipv6 has_frag_ext is 0", too_many));

  constexpr std::size_t first_extension = 14 + 40;
  auto too_long = packet_builder{}.eth().ipv6().destination_options().udp(1000, 2000).payload(18).build();
  too_long[first_extension + 1] = std::byte{200};
  EXPECT_TRUE(matches(source, too_long));
  EXPECT_FALSE(matches("ipv6 / udp", too_long));
  EXPECT_FALSE(matches("udp", too_long));

  auto cut = packet_builder{}.eth().ipv6().fragment6(0, 1).destination_options().payload(8).build();
  cut[first_extension + 8 + 1] = std::byte{200};
  EXPECT_TRUE(matches(source, cut));
  EXPECT_TRUE(matches("ipv6 src is 2001:db8::1 has_frag_ext is 1", cut));
}

TEST(table, no_transport_header_is_found_after_an_extension_header_of_another_kind) {
  auto packet = packet_builder{}.eth().ipv6().destination_options().udp(1000, 2000).payload(18).build();
  EXPECT_TRUE(matches("ipv6 / udp", packet));
  for (auto const kind : {51, 135, 139, 140}) {  // AH, Mobility, HIP, Shim6
    packet[14 + 6] = static_cast<std::byte>(kind);
    EXPECT_TRUE(matches("ipv6 src is 2001:db8::1", packet)) << kind;
    EXPECT_FALSE(matches("udp", packet)) << kind;
  }
}

// Its fixed header is what has to be readable.
TEST(table, an_ipv6_header_that_is_wrong_itself_is_absent) {
  auto longer = udp6().build();
  wire::ipv6_view{longer.data() + 14}.set_payload_length(1000);
  EXPECT_FALSE(matches("ipv6", longer));
}

TEST(table, a_second_fragment_header_takes_nothing_back) {
  auto const packet = packet_builder{}.eth().ipv6().fragment6(0, 1).fragment6(0, 0).udp(1, 2).payload(16);
  EXPECT_TRUE(matches("ipv6 has_frag_ext is 1", packet));
}

TEST(table, matches_transport_headers) {
  auto const tcp = packet_builder{}.eth().ipv4().tcp(80, 443, 0x12).payload(4);
  auto const icmp = packet_builder{}.eth().ipv4().icmp_echo(7, 9).payload(4);
  EXPECT_TRUE(matches("udp src is 1000 dst is 2000", udp()));
  EXPECT_TRUE(matches("udp src is 1000 dst is 2000", udp6())) << "whatever carries it";
  EXPECT_FALSE(matches("udp src is 1001", udp()));
  EXPECT_FALSE(matches("udp", tcp));
  EXPECT_TRUE(matches("ipv4 / tcp src is 80 dst is 443 flags spec 2 flags mask 2", tcp));
  EXPECT_FALSE(matches("ipv4 / tcp flags is 2", tcp));
  EXPECT_TRUE(matches("ipv4 / icmp type is 8 code is 0 ident is 7 seq is 9", icmp));
  EXPECT_FALSE(matches("ipv4 / icmp type is 0", icmp));
  EXPECT_FALSE(matches("ipv4 / icmp seq is 8", icmp));
  EXPECT_TRUE(matches("eth / any / udp", udp()));
  EXPECT_TRUE(matches("eth / any num is 1 / any", tcp));
  EXPECT_FALSE(matches("ipv4 / udp", packet_builder{}.eth().ipv4().fragment(64, 0).protocol(17).payload(40)))
      << "a later fragment has no UDP header";
}

TEST(table, matches_ranges) {
  for (unsigned const port : {99U, 100U, 150U, 200U, 201U, 356U}) {
    bool const inside = port >= 100 && port <= 200;
    EXPECT_EQ(matches("udp src spec 100 src last 200 src mask 0xffff", udp("1.1.1.1", "2.2.2.2", port)), inside)
        << port;
  }
  EXPECT_TRUE(matches("ipv4 src is 10.0.0.0 src last 10.0.255.255", udp("10.0.9.9")));
  EXPECT_FALSE(matches("ipv4 src is 10.0.0.0 src last 10.0.255.255", udp("10.1.0.0")));
  EXPECT_TRUE(matches("ipv6 src is 2001:db8:: src last 2001:db8::ff", udp6()));
  EXPECT_FALSE(matches("ipv6 src is 2001:db8::2 src last 2001:db8::ff", udp6()));
  auto const tagged = packet_builder{}.eth().vlan(5, 3).ipv4().udp(1, 2).payload(18);
  EXPECT_TRUE(matches("vlan vid is 4 vid last 6 pcp is 3", tagged));
  EXPECT_FALSE(matches("vlan vid is 4 vid last 6 pcp is 2", tagged));
  EXPECT_FALSE(matches("vlan vid is 6 vid last 9", tagged));
}

TEST(table, lets_no_malformed_header_match) {
  auto frame = udp().build();
  frame[14] = std::byte{0x44};  // a header of 16 bytes
  rules_bed const bed{"flow create 0 ingress pattern eth / ipv4 / end actions drop / end"};
  EXPECT_EQ(bed.pass(0, frame).said, to_host);
  EXPECT_EQ(bed.pass(0, test::bytes(13)).said, rules_bed::dropped(rules::runt));
}

TEST(table, needs_only_headers_in_the_first_piece_of_a_packet) {
  rules_bed const bed{"flow create 0 ingress pattern ipv4 / udp / end actions set_tp_src port 9 / port_id id 1 / end"};
  auto const frame = udp().payload(2000).build();
  auto const after = bed.pass(0, frame, 60);
  EXPECT_EQ(after.said, rules_bed::leaves_by(1));
  EXPECT_EQ(after.packet, udp("10.0.0.1", "10.0.0.2", 9).payload(2000).build());
  EXPECT_EQ(bed.pass(0, frame, 40).said, to_host);
}

TEST(table, applies_rules_by_priority_then_by_age) {
  rules_bed const bed{
      "flow create 0 priority 2 ingress pattern ipv4 / end actions drop / end\n"
      "flow create 0 priority 1 ingress pattern eth / end actions port_id id 1 / end\n"
      "flow create 0 priority 1 ingress pattern udp / end actions port_id id 0 / end\n"
      "flow create 0 priority 0 ingress pattern ipv4 src is 10.0.0.7 / end actions drop / end\n"
      "flow create 0 priority 0 ingress pattern ipv4 src is 10.0.0.7 / end actions queue index 0 / end\n"};
  EXPECT_EQ(bed.pass(0, udp()).said, rules_bed::leaves_by(1));
  EXPECT_EQ(bed.pass(0, udp("10.0.0.7")).said, rules_bed::dropped(rules::rule_drop));
  EXPECT_EQ(bed.table().most_tuples(), 4u);
}

TEST(table, keeps_ports_groups_and_directions_apart) {
  rules_bed const bed{
      "flow create 0 ingress pattern udp / end actions jump group 3 / end\n"
      "flow create 0 group 3 ingress pattern ipv4 src is 10.0.0.1 / end actions queue index 1 / end\n"
      "flow create 0 group 4 ingress pattern eth / end actions drop / end\n"
      "flow create 0 egress pattern eth / end actions drop / end\n"
      "flow create 1 group 3 ingress pattern eth / end actions drop / end\n"};
  EXPECT_EQ(bed.pass(0, udp()).said, rules_bed::leaves_by(1));
  EXPECT_EQ(bed.pass(0, udp("10.0.0.9")).said, to_host) << "no rule of group 3";
  EXPECT_EQ(bed.pass(1, udp()).said, to_host);
  EXPECT_EQ(bed.pass(0, packet_builder{}.eth().ipv4().tcp(1, 2)).said, to_host);
}

TEST(table, looks_at_transfer_rules_first) {
  rules_bed const bed{
      "flow create 0 ingress pattern eth / end actions drop / end\n"
      "flow create 0 transfer pattern udp src is 1000 / end actions represented_port ethdev_port_id 1 / end\n"};
  EXPECT_EQ(bed.pass(0, udp()).said, rules_bed::leaves_by(1));
  EXPECT_EQ(bed.pass(0, udp6()).said, rules_bed::leaves_by(1));
  EXPECT_EQ(bed.pass(0, udp("1.1.1.1", "2.2.2.2", 7)).said, rules_bed::dropped(rules::rule_drop));
}

TEST(table, sends_what_no_rule_is_for_to_the_host_unless_the_port_is_isolated) {
  EXPECT_EQ(rules_bed{""}.pass(0, udp()).said, to_host);
  rules_bed const bed{"flow isolate 0 on\nflow create 0 ingress pattern ipv6 / end actions queue index 0 / end"};
  EXPECT_EQ(bed.pass(0, udp()).said, rules_bed::dropped(rules::no_rule));
  EXPECT_EQ(bed.pass(0, udp6()).said, to_host);
  EXPECT_EQ(bed.pass(1, udp()).said, to_host);
}

TEST(table, passes_packets_through_to_later_rules) {
  rules_bed const bed{
      "flow create 0 priority 1 ingress pattern eth / end actions count / passthru / end\n"
      "flow create 0 priority 2 ingress pattern udp / end actions set_tp_src port 5 / passthru / end\n"
      "flow create 0 priority 3 ingress pattern eth / end actions port_id id 1 / end\n"};
  auto const after = bed.pass(0, udp());
  EXPECT_EQ(after.said, rules_bed::leaves_by(1));
  EXPECT_EQ(after.packet, udp("10.0.0.1", "10.0.0.2", 5).build());
  EXPECT_EQ(bed.counted(0, 0).hits, 1u);
}

TEST(table, ends_jumps_in_circles) {
  rules_bed const bed{
      "flow create 0 ingress pattern eth / end actions jump group 1 / end\n"
      "flow create 0 group 1 ingress pattern eth / end actions jump group 0 / end\n"};
  EXPECT_EQ(bed.pass(0, udp()).said, rules_bed::dropped(rules::too_many_jumps));
  EXPECT_EQ(drop_name<rules>(bed.pass(0, udp()).said.why()), "too_many_jumps");
}

TEST(table, counts_packets_and_bytes) {
  rules_bed const bed{
      "flow create 0 ingress pattern udp src is 1000 / end actions count / drop / end\n"
      "flow create 0 ingress pattern udp / end actions count identifier 7 / count / drop / end\n"
      "flow create 0 ingress pattern eth / end actions drop / end\n"};
  auto const frame = udp().build();
  for (int i = 0; i < 3; ++i) (void)bed.pass(0, frame);
  (void)bed.pass(0, udp("10.0.0.1", "10.0.0.2", 1));
  EXPECT_EQ(bed.counted(0, 0).hits, 3u);
  EXPECT_EQ(bed.counted(0, 0).bytes, 3 * frame.size());
  EXPECT_EQ(bed.counted(0, 1).hits, 1u) << "a rule with two counts has one counter";
  EXPECT_EQ(bed.counted(0, 1).bytes, udp("10.0.0.1", "10.0.0.2", 1).build().size());
  EXPECT_FALSE(bed.table().counted(2));
  EXPECT_EQ(query_text(bed.counted(0, 0)),
            fmt::format("COUNT:\n hits_set: 1\n bytes_set: 1\n hits: 3\n bytes: {}\n", 3 * frame.size()));
}

// Keys that collide in every way: many rules, few slots, and exactly the right rule is found.
TEST(table, finds_each_of_many_rules) {
  std::string text;
  for (unsigned n = 0; n < 3000; ++n) {
    text += fmt::format(
        "flow create 0 ingress pattern ipv4 dst is 10.{}.{}.1 / udp dst is {} / end actions set_tp_src port {} "
        "/ port_id id 1 / end\n",
        n / 256, n % 256, n % 7, n + 1);
  }
  rules_bed const bed{text};
  EXPECT_EQ(bed.table().most_tuples(), 1u);
  for (unsigned n = 0; n < 3000; ++n) {
    auto const to = fmt::format("10.{}.{}.1", n / 256, n % 256);
    auto const after = bed.pass(0, udp("1.2.3.4", to, 60000, n % 7));
    ASSERT_EQ(after.said, rules_bed::leaves_by(1)) << n;
    ASSERT_EQ(after.packet, udp("1.2.3.4", to, n + 1, n % 7).build()) << n;
    ASSERT_EQ(bed.pass(0, udp("1.2.3.4", to, 60000, n % 7 + 1)).said, to_host) << n;
  }
}

// The bits of the key that distinguish the rules may be any: the rules are spread over the slots.
TEST(table, spreads_keys_of_every_shape) {
  auto const most_probes = [](auto const& pattern_of) {
    std::string text;
    for (unsigned n = 0; n < 250; ++n) {
      text += fmt::format("flow create 0 ingress pattern {} / end actions drop / end\n", pattern_of(n));
    }
    return rules_bed{text}.table().most_probes();
  };
  EXPECT_LE(most_probes([](unsigned n) { return fmt::format("ipv4 src spec {}.0.0.0 src prefix 8", n); }), 16u);
  EXPECT_LE(most_probes([](unsigned n) { return fmt::format("ipv4 dst is 10.{}.0.1", n); }), 16u);
  EXPECT_LE(most_probes([](unsigned n) { return fmt::format("ipv4 src is 10.0.0.1 dst is 10.0.0.{}", n); }), 16u);
  EXPECT_LE(most_probes([](unsigned n) { return fmt::format("udp src is {}", 256 * n); }), 16u);
  EXPECT_LE(most_probes([](unsigned n) { return fmt::format("eth dst is 02:{:02x}:00:00:00:00", n); }), 16u);
  EXPECT_LE(most_probes([](unsigned n) { return fmt::format("ipv6 src is {:x}::", 256 * n); }), 16u);
}

TEST(table, does_what_the_reference_says) {
  rules_bed const bed{test::reference_flows::text()};
  EXPECT_EQ(bed.compiled().all.size(), test::reference_flows::rules);
  EXPECT_EQ(bed.compiled().all.size(), 10'006u);
  EXPECT_EQ(bed.table().most_tuples(), 1u);
  auto const packet = [](char const* from_mac, char const* to_mac, char const* source, char const* destination,
                         unsigned port, unsigned ttl) {
    return packet_builder{}.eth(from_mac, to_mac).ipv4(source, destination).ttl(ttl).udp(port, 5000).payload(30);
  };
  for (auto port = test::reference_flows::first_port; port <= test::reference_flows::last_port; ++port) {
    auto const up = bed.pass(1, packet("ec:0d:9a:8a:28:3a", "86:19:a0:b8:10:bd", "2.2.2.2", "1.1.1.2", port, 64));
    ASSERT_EQ(up.said, rules_bed::leaves_by(0)) << port;
    ASSERT_EQ(up.packet, packet("4a:ac:4f:29:87:80", "ec:0d:9a:8a:27:ba", "2.2.2.1", "1.1.1.2", port + 1, 63).build());
    auto const down = bed.pass(0, packet("ec:0d:9a:8a:27:ba", "4a:ac:4f:29:87:80", "1.1.1.2", "2.2.2.2", port, 64));
    ASSERT_EQ(down.said, rules_bed::leaves_by(1)) << port;
    ASSERT_EQ(down.packet,
              packet("86:19:a0:b8:10:bd", "ec:0d:9a:8a:28:3a", "1.1.1.1", "2.2.2.2", port + 1, 63).build());
  }
  EXPECT_EQ(bed.pass(1, packet("ec:0d:9a:8a:28:3a", "86:19:a0:b8:10:bd", "2.2.2.2", "1.1.1.2", 6003, 64)).said,
            to_host);
  EXPECT_EQ(bed.pass(1, packet("ec:0d:9a:8a:28:3a", "86:19:a0:b8:10:bd", "1.1.1.2", "1.1.1.2", 1002, 64)).said,
            to_host);
}

}  // namespace
}  // namespace packetwarp::flow
