// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "flow/rule_book.h"
#include "module/rules/compile/table.h"
#include "module/rules/rules_config.h"

namespace packetwarp {

// Reads the rules of the file again; their ports are these. Throws usage_error for wrong rules, with FILE:LINE, and for
// a file that cannot be read.
[[nodiscard]] flow::rule_book read_rules_book(rules_config const& config, std::vector<port_id> const& ports);

// Throws usage_error for a rule that sends packets to a port that is not among these, with its place in the file. For a
// rule without a line the error has `file` alone.
void require_known_ports(flow::rule_book const& book, flow::compiled_rules const& compiled,
                         std::span<flow::port_queues const> queues, std::string const& file);
void require_known_port(std::span<flow::port_queues const> queues, port_id port);

// Before routes, a rule that changes packets must decide where they go: packets from the routes may be put back before
// the rules, which would change them twice. Throws usage_error with the rule's place in the file, or its number if it
// was typed.
void require_decided_changes(flow::rule_book const& book, flow::compiled_rules const& compiled,
                             std::string const& file);

// The way of packets that no rule decides on.
enum class unmatched_packets : std::uint8_t { to_host, to_routes };
// Throws usage_error, with its place in the file, for a rule of `flow validate` (rule_book::validated) that tables
// cannot apply.
void require_valid(flow::rule_book const& book, std::span<flow::port_queues const> queues, unmatched_packets go,
                   std::string const& file);

}  // namespace packetwarp
