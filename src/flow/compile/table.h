// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "flow/rule_book.h"
#include "function/rules/rules_table.h"

namespace packetwarp::flow {

// The queues that a port's rules speak of. As in testpmd the receive queues have the numbers from 0, and hairpin queues
// those after them: a packet sent to one of these leaves by `hairpin_peer`. (testpmd: --rxq, --hairpinq,
// --hairpin-mode; with mode 0x2 ports 0 and 1 are each other's peer, 2 and 3, and so on.)
struct port_queues {
  port_id port;
  std::uint16_t receive{1};
  std::uint16_t hairpin{0};
  std::optional<port_id> hairpin_peer;
};

// Rules as rules_table takes them, and where each one is among them.
struct compiled_rules {
  std::vector<rules_input> all;
  std::vector<rules_port_input> ports;
  std::map<std::pair<port_id, std::uint32_t>, std::size_t> position;  // by port and rule number
  // The parts of the rules that the tables leave undone, a line each.
  std::vector<std::string> notes;
};

// Makes of rules what CPU and GPU run. Throws usage_error for a rule that means nothing or that tables do not do, with
// its port, number and line: what it says, and what would do. file: where the lines are, if it is known.
[[nodiscard]] compiled_rules compile_rules(rule_book const& book, std::span<port_queues const> ports,
                                           std::filesystem::path const& file = {});

// The same of one rule, for `validate`.
[[nodiscard]] rules_input compile_rule(port_id port, rule const& what, std::span<port_queues const> ports);

// The answer of testpmd to `flow query`; `seen` is rules_table::counted().
[[nodiscard]] std::string query_text(rules_counter const& seen);

}  // namespace packetwarp::flow
