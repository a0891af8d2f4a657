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

// The queues that a port's rules name. As in testpmd the receive queues have the numbers from 0, and hairpin queues the
// next ones: a packet sent to a hairpin queue leaves by `hairpin_peer`. (testpmd: --rxq, --hairpinq, --hairpin-mode;
// with mode 0x2 ports 0 and 1 are each other's peer, 2 and 3, and so on.)
struct port_queues {
  port_id port;
  std::uint16_t receive{1};
  std::uint16_t hairpin{0};
  std::optional<port_id> hairpin_peer;
};

// Rules in rules_table's form, and the position of each.
struct compiled_rules {
  std::vector<rules_input> all;
  std::vector<rules_port_input> ports;
  std::map<std::pair<port_id, std::uint32_t>, std::size_t> position;  // by port and rule number
  // The parts of the rules that the tables leave undone, one line each.
  std::vector<std::string> notes;
};

// Compiles rules for CPU and GPU. Throws usage_error for a rule that has no meaning or that tables cannot apply, with
// its port, number and line: the wrong part, and a remedy. file: the lines' file, if known.
[[nodiscard]] compiled_rules compile_rules(rule_book const& book, std::span<port_queues const> ports,
                                           std::filesystem::path const& file = {});

// The same for one rule, for `validate`.
[[nodiscard]] rules_input compile_rule(port_id port, rule const& what, std::span<port_queues const> ports);

// testpmd's answer to `flow query`; `seen` is rules_table::counted().
[[nodiscard]] std::string query_text(rules_counter const& seen);

}  // namespace packetwarp::flow
