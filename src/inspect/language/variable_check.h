// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "inspect/language/rule_set.h"
#include "inspect/language/variables.h"

namespace packetwarp::inspect {

// Names and values of variables as they were given.
using given_variables = std::vector<std::pair<std::string, std::string>>;

// The reason why a value is neither addresses nor ports, also of a variable that no rule names; empty: it is either.
[[nodiscard]] std::string problem_of_value(std::string const& value, variables const& known);

// "NAME: ..." for each variable that is neither Suricata's nor named by a rule or by another one that was given: the
// name may be misspelt. None while a rule is malformed, which may be the one that names it.
[[nodiscard]] std::vector<std::string> warnings_of_unused(given_variables const& given, rule_set const& rules);

}  // namespace packetwarp::inspect
