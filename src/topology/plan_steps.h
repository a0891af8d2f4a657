// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topology/plan.h"

namespace packetwarp {

// Steps of make_plan() behind that which deals ports and workers, in their order. Each throws usage_error.

// Which GPU serves which pipeline, and with how much of itself.
void plan_gpus(plan& p);
// How packets get to where their placement says.
void plan_placement(plan& p);
// Who serves kernel interfaces.
void plan_kernels(plan& p);
// Rings, and the pools that packets come from.
void plan_memory(plan& p);

}  // namespace packetwarp
