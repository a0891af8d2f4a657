// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/rule.h"
#include "function/rules/rules_table.h"

namespace packetwarp::flow {

// The action that says where a rule's packets go; a rule that does not say leaves them to the host.
[[nodiscard]] rules_action fate_of(rules_input const& rule);

// Whether a packet that it is for is no other rule's or function's then.
[[nodiscard]] bool ends_packets(rules_input const& rule);

// Whether a packet is another one after the rule.
[[nodiscard]] bool changes_packets(rules_input const& rule);

// Whether it speaks of another port, by its number.
[[nodiscard]] bool names_a_port(rule const& what);
// Whether it speaks of queues of its port, hairpin queues among them.
[[nodiscard]] bool names_queues(rule const& what);

}  // namespace packetwarp::flow
