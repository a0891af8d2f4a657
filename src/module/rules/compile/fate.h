// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/rule.h"
#include "function/rules/rules_table.h"

namespace packetwarp::flow {

// The action that decides where a rule's packets go; a rule without one leaves them to the host.
[[nodiscard]] rules_action fate_of(rules_input const& rule);

// Whether a packet that matches goes to no other rule or function afterwards.
[[nodiscard]] bool ends_packets(rules_input const& rule);

// Whether the rule changes packets.
[[nodiscard]] bool changes_packets(rules_input const& rule);

// Whether the rule names another port, by its number.
[[nodiscard]] bool names_a_port(rule const& what);
// Whether the rule names queues of its port, including hairpin queues.
[[nodiscard]] bool names_queues(rule const& what);

}  // namespace packetwarp::flow
