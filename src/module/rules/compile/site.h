// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flow/rule_book.h"
#include "module/rules/compile/table.h"

namespace packetwarp::flow {

// The place where a rule runs: a port's own hardware or driver, or an executor by a table.
enum class rule_site : std::uint8_t { nic, gpu, cpu };
[[nodiscard]] std::string_view to_string(rule_site site);

using rule_key = std::pair<port_id, std::uint32_t>;  // a port, and the number of one of its rules

// The reasons why NICs cannot run some rules.
using rule_refusals = std::map<rule_key, std::string>;

// The properties of a port that sharing out rules depends on.
struct site_port {
  // Its hairpin queues: none, or the authority over packets where they leave (port/flow/hairpin.h).
  enum class hairpin : std::uint8_t { none, by_driver, by_rules };
  port_id port;
  hairpin queues{hairpin::none};
};

struct sited_rule {
  port_id port;
  std::uint32_t number{};
  rule_site site{};
  std::string why;  // why not the NIC, if it does not
};

// Shares rules out between the NICs of their ports and tables. Every packet must meet the same fate as if all rules
// were in tables, given that
//   - a NIC runs its rules first, and tables see the packets that it does not send off or drop;
//   - the tables have all rules of ingress and transfer, the NICs' too, so that a packet that a NIC hands to the host
//     meets the same rule there; and the egress rules of the ports whose NICs have none;
//   - a NIC may apply any of several rules of one priority that match a packet, and lose a packet that jumps to a group
//     and meets no rule there (rte_flow.h leaves both open).
// So a rule is a NIC's when
//   - the port takes it;
//   - no earlier rule of the port could match its packets and is in the table or of the same priority;
//   - it drops, sends off, or hands packets to the host unchanged: a changed packet would be changed again;
//   - it is in group 0, or all that is in its group and after it is the NIC's, and the port is isolated;
//   - the egress rules of the port where its packets leave are applied there: the rules of a hairpin's peer by its NIC,
//     where rules may say so; the rules of other ports not at all.
// A port's egress rules are all its NIC's or all in the table. docs/flow.md explains the same for people.
//
// refused: the ports' refusals. tables: the site of tables. In the order of the book.
[[nodiscard]] std::vector<sited_rule> share_out(rule_book const& book, compiled_rules const& compiled,
                                                std::span<site_port const> ports, rule_refusals const& refused,
                                                rule_site tables);

// For rules without another site.
[[nodiscard]] std::vector<sited_rule> all_at(rule_book const& book, rule_site site);

// The rules that tables run beside NICs, and the position of each.
[[nodiscard]] compiled_rules without_egress_of_nics(compiled_rules const& compiled, std::span<sited_rule const> sited);

}  // namespace packetwarp::flow
