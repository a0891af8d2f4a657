// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "inspect/language/rule_set.h"
#include "inspect/packet/inspector.h"

namespace packetwarp::inspect {

// Lines with the field names of Suricata's EVE, without the line's end (docs/functions/inspect.md).

[[nodiscard]] std::string alert_line(rule_set const& rules, inspect_alert const& alert);

// The counters of a capture, as an event of the type "stats".
[[nodiscard]] std::string stats_line(rule_set const& rules, inspector const& of);

}  // namespace packetwarp::inspect
