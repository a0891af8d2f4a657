// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/config.h"
#include "plan/plan.h"

namespace packetwarp {

// The data plane of a network, on the machine's ports: one for each interface, in their order. Throws usage_error with
// FILE:LINE for a port that does not exist. Pure.
[[nodiscard]] data_plane_config plane_of(network_config const& config, machine_facts const& machine);

// Its plan. Throws usage_error as plane_of() and make_plan() do, and for a kni worker of a port that has no kernel
// interface. Pure.
[[nodiscard]] plan plan_of(network_config const& config, machine_facts const& machine);

}  // namespace packetwarp
