// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect/variable_check.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/log/log.h"
#include "inspect/language/variable_check.h"

namespace packetwarp {

void require_values(inspect_options const& options) {
  for (auto const& [name, value] : options.given) {
    auto const problem = inspect::problem_of_value(value, options.known);
    if (!problem.empty()) throw usage_error(fmt::format("--var {}: {}", name, problem));
  }
}

void warn_of_unused_variables(inspect_options const& options, inspect::rule_set const& rules) {
  for (auto const& warning : inspect::warnings_of_unused(options.given, rules)) log().warn("--var {}", warning);
}

}  // namespace packetwarp
