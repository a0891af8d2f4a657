// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "inspect/language/rule_set.h"
#include "inspect/language/variables.h"

namespace packetwarp::inspect {

// The rules of these files. Throws usage_error for a file that cannot be read or is too large; malformed rules are
// among the problems. As in Suricata, a gid and a sid name one rule, whose newest revision counts. Other than there,
// rules of one revision are all kept, because lists of addresses have one sid in hundreds of rules; but none is there
// twice.
[[nodiscard]] rule_set read_rule_files(std::span<std::string const> paths, variables const& known);

// Adds the rules of a text, which errors name by `name`.
void add_rules(rule_set& into, std::string name, std::string text, variables const& known);

}  // namespace packetwarp::inspect
