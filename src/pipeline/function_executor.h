// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "executor/executor.h"
#include "executor/gpu/gpu_settings.h"
#include "pipeline/function_tables.h"
#include "pipeline/stage_tables.h"
#include "plan/config.h"
#include "plan/plan.h"

namespace packetwarp {

// The executor of the plan's function on a pipeline's ring. Throws failure if a stage's tables are missing.
[[nodiscard]] std::unique_ptr<executor> make_function_executor(data_plane_config const& config, burst_ring& ring,
                                                               gpu_settings const& gpu, stage_place const& place,
                                                               function_tables const& tables);

}  // namespace packetwarp
