// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inspect/compiled/ruleset.h"
#include "inspect/language/rule_set.h"

namespace packetwarp::inspect {

[[nodiscard]] rule_scope scope_of(rule_set const& rules, rule const& one);

// Whether flows with this rule need flow_mark.
[[nodiscard]] bool marks_flows(rule const& one, rule_scope scope);

}  // namespace packetwarp::inspect
