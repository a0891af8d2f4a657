// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "flow/grammar.h"

#include <array>

namespace packetwarp::flow {
namespace {

constexpr field number(std::string_view name, std::uint8_t offset, std::uint8_t size) {
  return {.name = name, .kind = value_kind::number, .offset = offset, .size = size};
}
constexpr field host_number(std::string_view name, std::uint8_t offset, std::uint8_t size) {
  return {.name = name, .kind = value_kind::number, .offset = offset, .size = size, .byte_order = field::order::host};
}
constexpr field bits_of(std::string_view name, std::uint8_t offset, std::uint8_t size, std::uint8_t shift,
                        std::uint8_t bits) {
  return {.name = name, .kind = value_kind::number, .offset = offset, .size = size, .shift = shift, .bits = bits};
}
constexpr field address(std::string_view name, value_kind kind, std::uint8_t offset) {
  std::uint8_t const size = kind == value_kind::mac ? 6 : kind == value_kind::ipv4 ? 4 : 16;
  return {.name = name, .kind = kind, .offset = offset, .size = size};
}

// The flags after the headers are bit-fields from the lowest bit up, in the first free byte (rte_flow.h).
constexpr field any_fields[] = {host_number("num", 0, 4)};
constexpr field eth_fields[] = {address("dst", value_kind::mac, 0), address("src", value_kind::mac, 6),
                                number("type", 12, 2), bits_of("has_vlan", 14, 1, 0, 1)};
constexpr field vlan_fields[] = {number("tci", 0, 2),         bits_of("pcp", 0, 2, 13, 3),
                                 bits_of("dei", 0, 2, 12, 1), bits_of("vid", 0, 2, 0, 12),
                                 number("inner_type", 2, 2),  bits_of("has_more_vlan", 4, 1, 0, 1)};
constexpr field ipv4_fields[] = {number("version_ihl", 0, 1),
                                 number("tos", 1, 1),
                                 number("packet_id", 4, 2),
                                 number("fragment_offset", 6, 2),
                                 number("ttl", 8, 1),
                                 number("proto", 9, 1),
                                 address("src", value_kind::ipv4, 12),
                                 address("dst", value_kind::ipv4, 16)};
constexpr field ipv6_fields[] = {bits_of("tc", 0, 4, 20, 8),
                                 bits_of("flow", 0, 4, 0, 20),
                                 number("proto", 6, 1),
                                 number("hop", 7, 1),
                                 address("src", value_kind::ipv6, 8),
                                 address("dst", value_kind::ipv6, 24),
                                 bits_of("has_frag_ext", 40, 1, 2, 1)};
constexpr field icmp_fields[] = {number("type", 0, 1), number("code", 1, 1), number("ident", 4, 2),
                                 number("seq", 6, 2)};
constexpr field udp_fields[] = {number("src", 0, 2), number("dst", 2, 2)};
constexpr field tcp_fields[] = {number("src", 0, 2), number("dst", 2, 2), number("flags", 13, 1)};

constexpr std::array item_table{
    item_grammar{"void", item_kind::void_item, 0, {}},      item_grammar{"any", item_kind::any, 4, any_fields},
    item_grammar{"eth", item_kind::eth, 20, eth_fields},    item_grammar{"vlan", item_kind::vlan, 8, vlan_fields},
    item_grammar{"ipv4", item_kind::ipv4, 20, ipv4_fields}, item_grammar{"ipv6", item_kind::ipv6, 44, ipv6_fields},
    item_grammar{"icmp", item_kind::icmp, 8, icmp_fields},  item_grammar{"udp", item_kind::udp, 8, udp_fields},
    item_grammar{"tcp", item_kind::tcp, 20, tcp_fields}};

constexpr field jump_fields[] = {host_number("group", 0, 4)};
constexpr field mark_fields[] = {host_number("id", 0, 4)};
constexpr field queue_fields[] = {host_number("index", 0, 2)};
constexpr field count_fields[] = {host_number("identifier", 0, 4)};
constexpr field port_id_fields[] = {
    {.name = "original", .kind = value_kind::flag, .offset = 0, .size = 1, .shift = 0, .bits = 1},
    host_number("id", 4, 4)};
constexpr field push_vlan_fields[] = {number("ethertype", 0, 2)};
constexpr field vlan_vid_fields[] = {number("vlan_vid", 0, 2)};
constexpr field vlan_pcp_fields[] = {number("vlan_pcp", 0, 1)};
constexpr field set_ipv4_fields[] = {address("ipv4_addr", value_kind::ipv4, 0)};
constexpr field set_ipv6_fields[] = {address("ipv6_addr", value_kind::ipv6, 0)};
constexpr field set_tp_fields[] = {number("port", 0, 2)};
constexpr field set_ttl_fields[] = {number("ttl_value", 0, 1)};
constexpr field set_mac_fields[] = {address("mac_addr", value_kind::mac, 0)};
constexpr field ethdev_fields[] = {host_number("ethdev_port_id", 0, 2)};

constexpr std::array action_table{action_grammar{"void", action_kind::void_action, 0, {}},
                                  action_grammar{"passthru", action_kind::passthru, 0, {}},
                                  action_grammar{"jump", action_kind::jump, 4, jump_fields},
                                  action_grammar{"mark", action_kind::mark, 4, mark_fields},
                                  action_grammar{"queue", action_kind::queue, 2, queue_fields},
                                  action_grammar{"drop", action_kind::drop, 0, {}},
                                  action_grammar{"count", action_kind::count, 4, count_fields},
                                  action_grammar{"rss", action_kind::rss, 0, {}},
                                  action_grammar{"port_id", action_kind::port_id, 8, port_id_fields},
                                  action_grammar{"of_pop_vlan", action_kind::of_pop_vlan, 0, {}},
                                  action_grammar{"of_push_vlan", action_kind::of_push_vlan, 2, push_vlan_fields},
                                  action_grammar{"of_set_vlan_vid", action_kind::of_set_vlan_vid, 2, vlan_vid_fields},
                                  action_grammar{"of_set_vlan_pcp", action_kind::of_set_vlan_pcp, 1, vlan_pcp_fields},
                                  action_grammar{"set_ipv4_src", action_kind::set_ipv4_src, 4, set_ipv4_fields},
                                  action_grammar{"set_ipv4_dst", action_kind::set_ipv4_dst, 4, set_ipv4_fields},
                                  action_grammar{"set_ipv6_src", action_kind::set_ipv6_src, 16, set_ipv6_fields},
                                  action_grammar{"set_ipv6_dst", action_kind::set_ipv6_dst, 16, set_ipv6_fields},
                                  action_grammar{"set_tp_src", action_kind::set_tp_src, 2, set_tp_fields},
                                  action_grammar{"set_tp_dst", action_kind::set_tp_dst, 2, set_tp_fields},
                                  action_grammar{"dec_ttl", action_kind::dec_ttl, 0, {}},
                                  action_grammar{"set_ttl", action_kind::set_ttl, 1, set_ttl_fields},
                                  action_grammar{"set_mac_src", action_kind::set_mac_src, 6, set_mac_fields},
                                  action_grammar{"set_mac_dst", action_kind::set_mac_dst, 6, set_mac_fields},
                                  action_grammar{"represented_port", action_kind::represented_port, 2, ethdev_fields}};

template <class Table>
constexpr bool is_in_order_of_kinds(Table const& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].kind) != i) return false;
  }
  return true;
}
static_assert(is_in_order_of_kinds(item_table) && is_in_order_of_kinds(action_table));

// RTE_ETH_RSS_*, bit by bit (rte_ethdev.h; a test compares).
constexpr std::uint64_t bit(unsigned n) { return std::uint64_t{1} << n; }
constexpr std::uint64_t rss_ip = default_rss_types;
constexpr std::uint64_t rss_udp = bit(5) | bit(11) | bit(17);
constexpr std::uint64_t rss_tcp = bit(4) | bit(10) | bit(16);
constexpr std::uint64_t rss_sctp = bit(6) | bit(12);
constexpr std::uint64_t rss_vlan = bit(25) | bit(26);
constexpr std::uint64_t rss_all = bit(24) | rss_vlan | rss_ip | rss_tcp | rss_udp | rss_sctp | bit(14) | bit(29) |
                                  bit(27) | bit(28) | bit(30) | bit(23) | bit(32) | bit(33) | bit(36);

constexpr std::array rss_type_table{
    rss_type{"all", rss_all},
    rss_type{"none", 0},
    rss_type{"ip", rss_ip},
    rss_type{"udp", rss_udp},
    rss_type{"tcp", rss_tcp},
    rss_type{"sctp", rss_sctp},
    rss_type{"tunnel", bit(19) | bit(20) | bit(21)},
    rss_type{"vlan", rss_vlan},
    rss_type{"ipv4", bit(2)},
    rss_type{"ipv4-frag", bit(3)},
    rss_type{"ipv4-tcp", bit(4)},
    rss_type{"ipv4-udp", bit(5)},
    rss_type{"ipv4-sctp", bit(6)},
    rss_type{"ipv4-other", bit(7)},
    rss_type{"ipv6", bit(8)},
    rss_type{"ipv6-frag", bit(9)},
    rss_type{"ipv6-tcp", bit(10)},
    rss_type{"ipv6-udp", bit(11)},
    rss_type{"ipv6-sctp", bit(12)},
    rss_type{"ipv6-other", bit(13)},
    rss_type{"l2-payload", bit(14)},
    rss_type{"ipv6-ex", bit(15)},
    rss_type{"ipv6-tcp-ex", bit(16)},
    rss_type{"ipv6-udp-ex", bit(17)},
    rss_type{"port", bit(18)},
    rss_type{"vxlan", bit(19)},
    rss_type{"geneve", bit(20)},
    rss_type{"nvgre", bit(21)},
    rss_type{"gtpu", bit(23)},
    rss_type{"eth", bit(24)},
    rss_type{"s-vlan", bit(25)},
    rss_type{"c-vlan", bit(26)},
    rss_type{"esp", bit(27)},
    rss_type{"ah", bit(28)},
    rss_type{"l2tpv3", bit(29)},
    rss_type{"pfcp", bit(30)},
    rss_type{"pppoe", bit(31)},
    rss_type{"ecpri", bit(32)},
    rss_type{"mpls", bit(33)},
    rss_type{"ipv4-chksum", bit(34)},
    rss_type{"l4-chksum", bit(35)},
    rss_type{"l2tpv2", bit(36)},
    rss_type{"l3-pre96", bit(52)},
    rss_type{"l3-pre64", bit(53)},
    rss_type{"l3-pre56", bit(54)},
    rss_type{"l3-pre48", bit(55)},
    rss_type{"l3-pre40", bit(56)},
    rss_type{"l3-pre32", bit(57)},
    rss_type{"l2-dst-only", bit(58)},
    rss_type{"l2-src-only", bit(59)},
    rss_type{"l4-dst-only", bit(60)},
    rss_type{"l4-src-only", bit(61)},
    rss_type{"l3-dst-only", bit(62)},
    rss_type{"l3-src-only", bit(63)},
};

constexpr std::array<std::string_view, 4> rss_function_table{"default", "toeplitz", "simple_xor", "symmetric_toeplitz"};
constexpr std::array<std::string_view, 5> relation_table{"is", "spec", "last", "mask", "prefix"};

}  // namespace

std::span<item_grammar const> items() { return item_table; }
std::span<action_grammar const> actions() { return action_table; }
std::span<rss_type const> rss_types() { return rss_type_table; }
std::span<std::string_view const> rss_functions() { return rss_function_table; }
std::span<std::string_view const> relations() { return relation_table; }

item_grammar const& grammar_of(item_kind kind) { return item_table[static_cast<std::size_t>(kind)]; }
action_grammar const& grammar_of(action_kind kind) { return action_table[static_cast<std::size_t>(kind)]; }

}  // namespace packetwarp::flow
