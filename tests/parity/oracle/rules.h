// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "flow/parser.h"
#include "function/rules/rules.h"
#include "module/rules/compile/table.h"
#include "parity/oracle.h"

namespace packetwarp::test {

// Each kind of change to a packet, for some of the corpus: tags are pushed and popped, one and two. A dropped packet
// was not changed before, because executors differ in that.
inline constexpr std::string_view corpus_rules =
    "flow create 0 priority 0 ingress pattern eth / end actions count / passthru / end\n"
    "flow create 0 priority 1 ingress pattern eth / vlan / vlan / end actions of_pop_vlan / of_pop_vlan / queue index "
    "1 "
    "/ end\n"
    "flow create 0 priority 2 ingress pattern vlan vid is 5 / ipv4 / end actions dec_ttl / of_set_vlan_vid vlan_vid 9 "
    "/ "
    "set_mac_src mac_addr 02:aa:00:00:00:01 / queue index 1 / end\n"
    "flow create 0 priority 2 ingress pattern vlan vid is 1 / end actions of_pop_vlan / queue index 1 / end\n"
    "flow create 0 priority 3 ingress pattern ipv4 / udp dst is 100 dst last 60000 / end actions dec_ttl / "
    "set_ipv4_dst "
    "ipv4_addr 9.8.7.6 / set_tp_dst port 7 / jump group 4 / end\n"
    "flow create 0 priority 3 ingress pattern ipv4 / tcp dst is 2 / end actions of_push_vlan ethertype 0x8100 / "
    "of_push_vlan ethertype 0x88a8 / of_set_vlan_pcp vlan_pcp 5 / queue index 1 / end\n"
    "flow create 0 priority 4 ingress pattern ipv4 / tcp flags spec 2 flags mask 2 / end actions set_tp_src port 5 / "
    "set_ipv4_src ipv4_addr 1.2.3.4 / queue index 1 / end\n"
    "flow create 0 priority 4 ingress pattern ipv4 / icmp type is 8 / end actions drop / end\n"
    "flow create 0 priority 4 ingress pattern ipv4 / udp / end actions set_ttl ttl_value 3 / queue index 1 / end\n"
    "flow create 0 priority 5 ingress pattern ipv6 / udp / end actions dec_ttl / set_ipv6_src ipv6_addr fe80::9 / "
    "queue "
    "index 1 / end\n"
    "flow create 0 priority 6 ingress pattern ipv6 / end actions set_ipv6_dst ipv6_addr fe80::8 / queue index 1 / end\n"
    "flow create 0 group 4 ingress pattern ipv4 ttl is 63 / end actions of_push_vlan ethertype 0x8100 / "
    "of_set_vlan_vid vlan_vid 99 / queue index 1 / end\n"
    "flow create 0 group 4 priority 1 ingress pattern eth / end actions queue index 1 / end\n"
    "flow create 1 egress pattern eth / end actions count / set_mac_dst mac_addr 02:bb:00:00:00:02 / end\n";

// In a chain the router sends by egress n packets for port n; alone, the egress differs from the port's number.
template <>
struct suite_tables<rules> {
  [[nodiscard]] static table_refs<rules> in(table_place copy, company of) {
    auto const make = [](table_place place) {
      flow::rule_book book;
      for (auto const& one : flow::parse_text(corpus_rules, "the parity suite")) (void)book.apply(one.what, one.line);
      flow::port_queues const queues[] = {{.port = port_id{0}, .receive = 1, .hairpin = 1, .hairpin_peer = port_id{1}},
                                          {.port = port_id{1}, .receive = 1, .hairpin = 1, .hairpin_peer = port_id{0}}};
      auto const compiled = flow::compile_rules(book, queues);
      return new rules_table{compiled.all, compiled.ports, place};
    };
    std::uint16_t const first = of == company::alone ? 5 : 0;
    rules_egress const egresses[] = {{port_id{0}, egress_index{first}},
                                     {port_id{1}, egress_index{static_cast<std::uint16_t>(first + 1)}}};
    static auto const* const on_host = make({});
    auto const here = on_host->ref(port_id{0}, egresses);
    if (copy.gpu == table_place::host) return {here, here};
    static auto const* const on_gpu = make(copy);
    return {here, on_gpu->ref(port_id{0}, egresses)};
  }
};
template <>
inline constexpr bool pushes_tags<rules> = true;

}  // namespace packetwarp::test
