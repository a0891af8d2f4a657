// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "module/config.h"
#include "plan/plan.h"
#include "twin/twin_config.h"

namespace packetwarp {

// The kernel interfaces of a network, beside the machine's ports: `ports` has one for each interface, in their order.
// Throws usage_error with FILE:LINE for addresses that contradict one another. Pure.
[[nodiscard]] std::vector<twin_config> twins_of(network_config const& config, std::span<port_id const> ports,
                                                machine_facts const& machine);

// The interfaces whose packets the kernel, not the control plane, answers.
[[nodiscard]] std::vector<interface_index> interfaces_with_twin(network_config const& config);

}  // namespace packetwarp
