// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/inspect/options.h"
#include "inspect/language/rule_set.h"

namespace packetwarp {

// Checks the values of --var, also of variables that no rule names: each is read as addresses or as ports. Throws
// usage_error.
void require_values(inspect_options const& options);

// Warns of variables that are neither Suricata's nor named by a rule or by another --var: the name may be misspelt. It
// says nothing while a rule is malformed, which may be the one that names it.
void warn_of_unused_variables(inspect_options const& options, inspect::rule_set const& rules);

}  // namespace packetwarp
