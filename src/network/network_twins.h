// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "module/config.h"
#include "plan/plan.h"
#include "twin/twin_config.h"

namespace packetwarp {

// The kernel interfaces that a network asks for, beside the machine's ports: `ports` has one for each interface, in
// their order. Throws usage_error with FILE:LINE for addresses that do not go together. Pure.
[[nodiscard]] std::vector<twin_config> twins_of(network_config const& config, std::span<port_id const> ports,
                                                machine_facts const& machine);

// Where the control plane has to leave answers to a kernel.
[[nodiscard]] std::vector<interface_index> interfaces_with_twin(network_config const& config);

}  // namespace packetwarp
