// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "module/rules/rules_bed.h"

namespace packetwarp::flow {
namespace {

using test::packet_builder;
using test::rules_bed;

// A packet after these actions of a rule with this pattern. Packets are compared whole with ones built anew, whose
// checksums are computed from scratch.
test::bytes after(std::string_view pattern, std::string_view actions, packet_builder const& packet) {
  rules_bed const bed{
      fmt::format("flow create 0 ingress pattern {} / end actions {} / port_id id 1 / end", pattern, actions)};
  auto const result = bed.pass(0, packet);
  EXPECT_EQ(result.said.what(), verdict::action::forward);
  EXPECT_EQ(result.said.to(), egress_index{11});
  return result.packet;
}

packet_builder eth(std::string_view source = "02:00:00:00:00:01", std::string_view destination = "02:00:00:00:00:02") {
  return packet_builder{}.eth(source, destination);
}

TEST(table_actions, set_mac_addresses) {
  EXPECT_EQ(after("eth", "set_mac_src mac_addr 02:AA:00:00:00:09", eth().ipv4().udp(1, 2)),
            eth("02:aa:00:00:00:09").ipv4().udp(1, 2).build());
  EXPECT_EQ(after("eth", "set_mac_dst mac_addr 02:aa:00:00:00:09", eth().ipv4().udp(1, 2)),
            eth("02:00:00:00:00:01", "02:aa:00:00:00:09").ipv4().udp(1, 2).build());
}

TEST(table_actions, set_ipv4_addresses) {
  EXPECT_EQ(after("ipv4", "set_ipv4_src ipv4_addr 99.88.77.66", eth().ipv4().udp(1, 2).payload(5)),
            eth().ipv4("99.88.77.66").udp(1, 2).payload(5).build());
  EXPECT_EQ(after("ipv4", "set_ipv4_dst ipv4_addr 99.88.77.66", eth().vlan(7).ipv4().tcp(1, 2).payload(6)),
            eth().vlan(7).ipv4("10.0.0.1", "99.88.77.66").tcp(1, 2).payload(6).build());
  EXPECT_EQ(after("ipv4", "set_ipv4_src ipv4_addr 99.88.77.66", eth().ipv4().icmp_echo(1, 2).payload(6)),
            eth().ipv4("99.88.77.66").icmp_echo(1, 2).payload(6).build());
  EXPECT_EQ(
      after("ipv4", "set_ipv4_src ipv4_addr 99.88.77.66", eth().ipv4().options(test::to_bytes({1, 1, 1, 0})).udp(1, 2)),
      eth().ipv4("99.88.77.66").options(test::to_bytes({1, 1, 1, 0})).udp(1, 2).build());
}

TEST(table_actions, set_ipv6_addresses) {
  EXPECT_EQ(after("ipv6", "set_ipv6_src ipv6_addr fe80::1:2", eth().ipv6().udp(1, 2).payload(5)),
            eth().ipv6("fe80::1:2").udp(1, 2).payload(5).build());
  EXPECT_EQ(after("ipv6", "set_ipv6_dst ipv6_addr fe80::1:2", eth().ipv6().tcp(1, 2).payload(5)),
            eth().ipv6("2001:db8::1", "fe80::1:2").tcp(1, 2).payload(5).build());
  EXPECT_EQ(after("ipv6", "set_ipv6_dst ipv6_addr fe80::1:2", eth().ipv6().icmp_echo(1, 2).payload(5)),
            eth().ipv6("2001:db8::1", "fe80::1:2").icmp_echo(1, 2).payload(5).build());
}

TEST(table_actions, set_ports) {
  EXPECT_EQ(after("udp", "set_tp_src port 777 / set_tp_dst port 888", eth().ipv4().udp(1, 2).payload(5)),
            eth().ipv4().udp(777, 888).payload(5).build());
  EXPECT_EQ(after("tcp", "set_tp_src port 777 / set_tp_dst port 888", eth().ipv6().hop_by_hop().tcp(1, 2).payload(5)),
            eth().ipv6().hop_by_hop().tcp(777, 888).payload(5).build());
}

TEST(table_actions, leave_an_absent_udp_checksum_absent) {
  EXPECT_EQ(after("ipv4 / udp", "set_tp_src port 7 / set_ipv4_src ipv4_addr 1.2.3.4",
                  eth().ipv4().udp(1, 2).no_checksum().payload(5)),
            eth().ipv4("1.2.3.4").udp(7, 2).no_checksum().payload(5).build());
}

// Every value of a port, among them the values that make the checksum 0, which is sent as 0xffff.
TEST(table_actions, keep_udp_checksums_right_whatever_they_become) {
  auto const before = eth().ipv4().udp(1, 2).payload(3).build();
  for (unsigned port = 0; port < 65536; port += 1) {
    test::bytes frame = before;
    rules_packet packet{
        {frame.data(), static_cast<std::uint32_t>(frame.size()), static_cast<std::uint32_t>(frame.size())}};
    rules_edit::set_port(packet, rules_edit::side::source, static_cast<std::uint16_t>(port));
    ASSERT_EQ(frame, eth().ipv4().udp(port, 2).payload(3).build()) << port;
  }
}

TEST(table_actions, set_and_decrement_ttls) {
  EXPECT_EQ(after("ipv4", "set_ttl ttl_value 9", eth().ipv4().ttl(64).udp(1, 2)),
            eth().ipv4().ttl(9).udp(1, 2).build());
  EXPECT_EQ(after("ipv6", "set_ttl ttl_value 9", eth().ipv6().ttl(64).udp(1, 2)),
            eth().ipv6().ttl(9).udp(1, 2).build());
  EXPECT_EQ(after("ipv4", "dec_ttl", eth().ipv4().ttl(2).udp(1, 2)), eth().ipv4().ttl(1).udp(1, 2).build());
  EXPECT_EQ(after("ipv6", "dec_ttl", eth().ipv6().ttl(255).udp(1, 2)), eth().ipv6().ttl(254).udp(1, 2).build());
  rules_bed const bed{"flow create 0 ingress pattern ipv4 / end actions dec_ttl / port_id id 1 / end"};
  EXPECT_EQ(bed.pass(0, eth().ipv4().ttl(1).udp(1, 2)).said, rules_bed::dropped(rules::ttl_expired));
  EXPECT_EQ(bed.pass(0, eth().ipv4().ttl(0).udp(1, 2)).said, rules_bed::dropped(rules::ttl_expired));
}

TEST(table_actions, pop_and_push_vlan_tags) {
  auto const plain = eth().ipv4().udp(1, 2).payload(4);
  auto const tagged = eth().vlan(7, 3).ipv4().udp(1, 2).payload(4);
  auto const twice = eth().service_vlan(100).vlan(7, 3).ipv4().udp(1, 2).payload(4);
  EXPECT_EQ(after("vlan", "of_pop_vlan", tagged), plain.build());
  EXPECT_EQ(after("vlan", "of_pop_vlan", twice), tagged.build());
  EXPECT_EQ(after("vlan", "of_pop_vlan / of_pop_vlan", twice), plain.build());
  EXPECT_EQ(after("eth", "of_pop_vlan", plain), plain.build());
  EXPECT_EQ(
      after("eth", "of_push_vlan ethertype 0x8100 / of_set_vlan_vid vlan_vid 7 / of_set_vlan_pcp vlan_pcp 3", plain),
      tagged.build());
  EXPECT_EQ(
      after("eth", "of_push_vlan ethertype 0x88a8 / of_set_vlan_vid vlan_vid 100 / of_set_vlan_pcp vlan_pcp 0", tagged),
      twice.build());
  EXPECT_EQ(after("eth", "of_push_vlan ethertype 0x8100", tagged),
            eth().vlan(7, 3).vlan(7, 3).ipv4().udp(1, 2).payload(4).build())
      << "a pushed tag is like the one behind it";
  EXPECT_EQ(
      after("vlan", "of_set_vlan_vid vlan_vid 9 / of_set_vlan_pcp vlan_pcp 5 / of_push_vlan ethertype 0x8100", tagged),
      eth().vlan(9, 5).vlan(9, 5).ipv4().udp(1, 2).payload(4).build())
      << "also if the rule has changed that one";
  EXPECT_EQ(after("vlan", "of_pop_vlan / of_push_vlan ethertype 0x8100 / of_set_vlan_vid vlan_vid 9", tagged),
            eth().vlan(9).ipv4().udp(1, 2).payload(4).build());
}

TEST(table_actions, say_how_the_packets_front_moved) {
  auto const said = [](std::string_view actions, packet_builder const& packet) {
    return rules_bed{fmt::format("flow create 0 ingress pattern eth / end actions {} / end", actions)}
        .pass(0, packet)
        .said;
  };
  auto const tagged = eth().vlan(7).vlan(8).vlan(9).ipv4().udp(1, 2);
  EXPECT_EQ(said("of_push_vlan ethertype 0x8100 / port_id id 1", tagged), rules_bed::leaves_by(1, front_move::push_4));
  EXPECT_EQ(said("of_pop_vlan / port_id id 1", tagged), rules_bed::leaves_by(1, front_move::pop_4));
  EXPECT_EQ(said("of_pop_vlan / of_pop_vlan / port_id id 1", tagged), rules_bed::leaves_by(1, front_move::pop_8));
  EXPECT_EQ(said("of_pop_vlan / of_pop_vlan / of_pop_vlan / port_id id 1", tagged),
            rules_bed::dropped(rules::front_moved, front_move::pop_8));
  EXPECT_EQ(
      said("of_push_vlan ethertype 0x8100 / of_push_vlan ethertype 0x8100 / of_push_vlan ethertype 0x8100", tagged),
      rules_bed::dropped(rules::front_moved, front_move::push_8));
  EXPECT_EQ(said("of_pop_vlan / queue index 0", tagged), rules_bed::dropped(rules::front_moved, front_move::pop_4));
  auto const twice = eth().vlan(7).vlan(8).ipv4().udp(1, 2);
  EXPECT_EQ(said("of_pop_vlan / of_pop_vlan / of_pop_vlan / port_id id 1", twice),
            rules_bed::leaves_by(1, front_move::pop_8));
}

// A capture shows a dropped packet as it was then.
TEST(table_actions, leave_a_dropped_packet_whole) {
  auto const dropped = [](std::string_view rules, packet_builder const& packet) {
    auto const result = rules_bed{rules}.pass(0, packet);
    EXPECT_EQ(result.said.what(), verdict::action::drop);
    return result.packet;
  };
  auto const plain = eth().ipv4().udp(1, 2).payload(4);
  auto const tagged = eth().vlan(7, 3).ipv4().udp(1, 2).payload(4);
  auto const twice = eth().vlan(7, 3).vlan(7, 3).ipv4().udp(1, 2).payload(4);
  auto const thrice = eth().vlan(7, 3).vlan(7, 3).vlan(7, 3).ipv4().udp(1, 2).payload(4);
  EXPECT_EQ(dropped("flow create 0 ingress pattern vlan / end actions of_pop_vlan / drop / end", tagged),
            plain.build());
  EXPECT_EQ(
      dropped("flow create 0 ingress pattern eth / end actions of_push_vlan ethertype 0x8100 / drop / end", tagged),
      twice.build());
  EXPECT_EQ(dropped("flow create 0 ingress pattern eth / end actions of_pop_vlan / of_pop_vlan / of_pop_vlan / queue "
                    "index 0 / end",
                    thrice),
            tagged.build())
      << "the third tag stays";
  EXPECT_EQ(dropped("flow create 0 ingress pattern eth / end actions of_pop_vlan / port_id id 1 / end\n"
                    "flow create 1 egress pattern eth / end actions of_pop_vlan / drop / end\n",
                    thrice),
            tagged.build());
  EXPECT_EQ(dropped("flow isolate 0 true\n"
                    "flow create 0 ingress pattern eth / end actions of_push_vlan ethertype 0x8100 / passthru / end\n",
                    tagged),
            twice.build())
      << "no_rule";
  EXPECT_EQ(
      dropped("flow create 0 ingress pattern eth / ipv4 / end actions of_pop_vlan / dec_ttl / queue index 1 / end",
              eth().vlan(7, 3).ipv4().ttl(1).udp(1, 2).payload(4)),
      eth().ipv4().ttl(1).udp(1, 2).payload(4).build());
}

// Rules after a change see the changed packet: in the next group, and on its way out.
TEST(table_actions, are_seen_by_the_rules_that_follow) {
  rules_bed const bed{
      "flow create 0 ingress pattern vlan / ipv4 / udp / end actions of_pop_vlan / set_tp_src port 50 / jump group 1 / "
      "end\n"
      "flow create 0 group 1 ingress pattern eth has_vlan is 0 / udp src is 50 / end actions queue index 1 / end\n"
      "flow create 1 egress pattern ipv4 / udp src is 50 / end actions set_ipv4_dst ipv4_addr 9.9.9.9 / dec_ttl / "
      "end\n"};
  auto const result = bed.pass(0, eth().vlan(7).ipv4().udp(1, 2).payload(4));
  EXPECT_EQ(result.said, rules_bed::leaves_by(1, front_move::pop_4));
  EXPECT_EQ(result.packet, eth().ipv4("10.0.0.1", "9.9.9.9").ttl(63).udp(50, 2).payload(4).build());
}

TEST(table_actions, push_a_tag_like_the_one_that_an_earlier_group_changed) {
  rules_bed const bed{
      "flow create 0 ingress pattern vlan / end actions of_set_vlan_vid vlan_vid 9 / of_set_vlan_pcp vlan_pcp 5 / jump "
      "group 1 / end\n"
      "flow create 0 group 1 ingress pattern vlan / end actions of_push_vlan ethertype 0x8100 / port_id id 1 / end\n"};
  EXPECT_EQ(bed.pass(0, eth().vlan(7, 3).ipv4().udp(1, 2).payload(4)).packet,
            eth().vlan(9, 5).vlan(9, 5).ipv4().udp(1, 2).payload(4).build());
}

TEST(table_actions, send_packets_to_queues_and_ports) {
  auto const said = [](std::string_view actions) {
    rules_bed const bed{fmt::format("flow create 1 ingress pattern eth / end actions {} / end", actions)};
    return bed.pass(1, eth().ipv4().udp(1, 2)).said;
  };
  EXPECT_EQ(said("queue index 0"), verdict::punt()) << "a receive queue is the host's";
  EXPECT_EQ(said("queue index 1"), rules_bed::leaves_by(0)) << "a hairpin queue is the peer's";
  EXPECT_EQ(said("queue index 2"), rules_bed::leaves_by(0));
  EXPECT_EQ(said("rss queues 1 2 end"), rules_bed::leaves_by(0));
  EXPECT_EQ(said("rss"), verdict::punt());
  EXPECT_EQ(said("port_id id 0"), rules_bed::leaves_by(0));
  EXPECT_EQ(said("port_id original 1 id 0"), rules_bed::leaves_by(1));
  EXPECT_EQ(said("represented_port ethdev_port_id 1"), rules_bed::leaves_by(1));
  EXPECT_EQ(said("drop"), rules_bed::dropped(rules::rule_drop));
  EXPECT_EQ(said("void / mark id 7"), verdict::punt());
  EXPECT_EQ(said("queue index 1 / set_mac_src mac_addr 02:00:00:00:00:09"), rules_bed::leaves_by(0));
}

TEST(table_actions, apply_egress_rules_of_the_port_that_a_packet_leaves_by) {
  rules_bed const bed{
      "flow create 0 ingress pattern eth / end actions port_id id 1 / end\n"
      "flow create 1 ingress pattern eth / end actions port_id id 0 / end\n"
      "flow create 1 egress pattern ipv6 / end actions drop / end\n"
      "flow create 1 egress pattern eth / end actions jump group 5 / end\n"
      "flow create 1 egress group 5 pattern udp / end actions set_tp_dst port 6 / end\n"};
  EXPECT_EQ(bed.pass(0, eth().ipv6().udp(1, 2)).said, rules_bed::dropped(rules::rule_drop));
  EXPECT_EQ(bed.pass(0, eth().ipv4().udp(1, 2)).packet, eth().ipv4().udp(1, 6).build());
  EXPECT_EQ(bed.pass(1, eth().ipv6().udp(1, 2)).said, rules_bed::leaves_by(0));
}

std::string refusal_of(std::string_view command) {
  try {
    rules_bed const bed{command};
  } catch (usage_error const& error) {
    return error.what();
  }
  return "no error";
}

TEST(table_actions, are_refused_where_they_mean_nothing) {
  auto const on = [](std::string_view attr, std::string_view pattern, std::string_view actions) {
    auto const error =
        refusal_of(fmt::format("\nflow create 1 {} pattern {} / end actions {} / end", attr, pattern, actions));
    constexpr std::string_view place = "flow rule 0 of port 1 (line 2): ";
    return error.starts_with(place) ? error.substr(place.size()) : "not in its place: " + error;
  };
  EXPECT_EQ(on("", "eth", "drop"), "it has no direction; say ingress, egress or transfer");
  EXPECT_EQ(on("ingress egress", "eth", "drop"), "it is of ingress and of egress; write a rule for each");
  EXPECT_EQ(on("egress transfer", "eth", "drop"), "it is of transfer and of egress; write a rule for each");
  EXPECT_EQ(on("ingress", "eth", "drop / queue index 0"),
            "action queue: the rule already says where its packets go; keep one of the two");
  EXPECT_EQ(on("ingress", "eth", "count / count / drop"),
            "action count: identifier 0 is there twice; leave out one of the two, or give each its own");
  EXPECT_EQ(on("ingress", "eth", "jump group 0"), "action jump: group 0 is the rule's own; give another one");
  EXPECT_EQ(on("group 2 egress", "eth", "jump group 2"), "action jump: group 2 is the rule's own; give another one");
  EXPECT_EQ(on("egress", "eth", "queue index 0"), "action queue is for ingress rules");
  EXPECT_EQ(on("egress", "eth", "port_id id 0"), "action port_id is for transfer and ingress rules");
  EXPECT_EQ(on("ingress", "eth", "queue index 3"),
            "queue 3 is not there: port 1 has 1 receive and 2 hairpin queues, numbered from 0");
  EXPECT_EQ(on("ingress", "eth", "rss queues 0 1 end"),
            "action rss names receive queues and hairpin queues; name one kind of them");
  EXPECT_EQ(on("ingress", "eth", "set_ipv4_src ipv4_addr 1.1.1.1"), "action set_ipv4_src needs ipv4 in the pattern");
  EXPECT_EQ(on("ingress", "ipv4", "set_ipv6_dst ipv6_addr ::1"), "action set_ipv6_dst needs ipv6 in the pattern");
  EXPECT_EQ(on("ingress", "ipv4", "set_tp_dst port 1"), "action set_tp_dst needs udp or tcp in the pattern");
  EXPECT_EQ(on("ingress", "eth", "dec_ttl"), "action dec_ttl needs ipv4 or ipv6 in the pattern");
  EXPECT_EQ(on("ingress", "eth", "of_push_vlan ethertype 7"), "action of_push_vlan: ethertype is 0x8100 or 0x88a8");
  EXPECT_EQ(
      on("ingress", "udp / ipv4", "drop"),
      "item ipv4 cannot come here; items go from eth over vlan (at most two), then ipv4 or ipv6, to udp, tcp or icmp");
  EXPECT_EQ(on("ingress", "ipv4 src prefix 8", "drop"),
            "item ipv4 has a mask and no value that it is for; add spec, or say `is`");
  EXPECT_EQ(on("ingress", "udp src is 9 src last 8", "drop"),
            "item udp: the last src is below the first; no packet is like that");
  EXPECT_EQ(on("ingress", "eth has_vlan is 0 / vlan", "drop"), "items contradict each other: no packet is like that");
  EXPECT_EQ(on("ingress", "any num is 2", "drop"), "item any stands for one header; leave out num, or say 1");
  EXPECT_EQ(on("ingress", "ipv6 / icmp", "drop"), "item icmp is of ipv4; ICMPv6 is not among the items of tables");
}

TEST(table_actions, that_are_left_undone_are_noted) {
  rules_bed const bed{"flow create 0 ingress pattern eth / end actions mark id 3 / drop / end"};
  EXPECT_EQ(bed.compiled().notes,
            std::vector<std::string>{"flow rule 0 of port 0 (line 1): mark sets nothing: there is no one to read it"});
}

TEST(table_actions, need_the_ports_they_send_to) {
  rules_bed const bed{"flow create 0 ingress pattern eth / end actions port_id id 1 / end"};
  rules_egress const only_itself[] = {{port_id{0}, egress_index{0}}};
  EXPECT_THROW((void)bed.table().ref(port_id{0}, only_itself), usage_error);
  EXPECT_NO_THROW((void)bed.table().ref(port_id{1}, only_itself));
}

}  // namespace
}  // namespace packetwarp::flow
