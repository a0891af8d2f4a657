// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/run/config.h"
#include "flow/compile/table.h"
#include "flow/rule_book.h"

namespace packetwarp {

// The rules of the file, read anew. Throws usage_error for rules that are wrong, failure for a file that cannot be
// read.
[[nodiscard]] flow::rule_book read_rules_book(rules_config const& config, std::vector<port_id> const& ports);

// In front of routes a rule that changes packets has to say where they go: what comes to the routes may be put back in
// front of the rules, and would be changed twice. Throws usage_error.
void require_decided_changes(flow::rule_book const& book, flow::compiled_rules const& compiled,
                             std::string const& file);

}  // namespace packetwarp
