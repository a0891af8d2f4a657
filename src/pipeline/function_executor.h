// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "executor/executor.h"
#include "executor/gpu/gpu_settings.h"
#include "pipeline/function_tables.h"
#include "plan/config.h"
#include "plan/plan.h"

namespace packetwarp {

// The place of a pipeline, and the tables of its function's stages.
struct function_place {
  planned_pipeline const& planned;
  std::uint16_t ingress{};  // position of its RX port among the plan's
  function_tables tables;
};

// The executor of the plan's function on a pipeline's ring. Throws failure where a stage's tables are missing.
[[nodiscard]] std::unique_ptr<executor> make_function_executor(data_plane_config const& config, burst_ring& ring,
                                                               gpu_settings const& gpu, function_place const& place);

}  // namespace packetwarp
