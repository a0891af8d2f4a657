// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "flow/compile/table.h"
#include "flow/rule_book.h"
#include "module/rules/rules_config.h"

namespace packetwarp {

// The rules of the file, read anew, which are of these ports. Throws usage_error for rules that are wrong, with
// FILE:LINE, and for a file that cannot be read.
[[nodiscard]] flow::rule_book read_rules_book(rules_config const& config, std::vector<port_id> const& ports);

// Throws usage_error for a rule that sends packets to a port that is none of these, with its place in the file. For
// rules without one `file` stands alone.
void require_known_ports(flow::rule_book const& book, flow::compiled_rules const& compiled,
                         std::span<flow::port_queues const> queues, std::string const& file);
void require_known_port(std::span<flow::port_queues const> queues, port_id port);

// In front of routes a rule that changes packets has to say where they go: what comes to the routes may be put back in
// front of the rules, and would be changed twice. Throws usage_error.
void require_decided_changes(flow::rule_book const& book, flow::compiled_rules const& compiled,
                             std::string const& file);

}  // namespace packetwarp
