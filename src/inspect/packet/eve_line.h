// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "inspect/language/rule_set.h"
#include "inspect/packet/inspector.h"

namespace packetwarp::inspect {

// Lines with the field names of Suricata's EVE, without the line's end (docs/functions/inspect.md).

// The field `proto`, by the protocol's number in the IP header: Suricata's names.
[[nodiscard]] std::string protocol_text(std::uint8_t protocol);

// The field `alert`. action: "allowed" or "blocked".
[[nodiscard]] nlohmann::ordered_json alert_field(rule const& one, std::string_view action);

[[nodiscard]] std::string alert_line(rule_set const& rules, inspect_alert const& alert);

// The counters of a capture, as an event of the type "stats".
[[nodiscard]] std::string stats_line(rule_set const& rules, inspector const& of);

}  // namespace packetwarp::inspect
