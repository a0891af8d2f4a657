// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "function/router/router_table.h"
#include "module/config.h"
#include "plan/plan.h"

namespace packetwarp {

// The kernel interfaces that a network asks for, beside the machine's ports: `ports` has one for each interface, in
// their order. Throws usage_error with FILE:LINE for addresses that do not go together. Pure.
[[nodiscard]] std::vector<twin_config> twins_of(network_config const& config, std::span<port_id const> ports,
                                                machine_facts const& machine);

// Tells the router of an interface's kernel interface, which is one of these: what is the kernel's, and what of its
// addresses is to be answered for like the interface's own. Throws as router_table does.
void share_with_twin(router_table& router, interface_index interface, twin_config const& twin);

// Where the control plane has to leave answers to a kernel.
[[nodiscard]] std::vector<interface_index> interfaces_with_twin(network_config const& config);

}  // namespace packetwarp
