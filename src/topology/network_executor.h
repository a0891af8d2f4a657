// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "executor/executor.h"
#include "executor/gpu/gpu_settings.h"
#include "topology/config.h"
#include "topology/function_tables.h"
#include "topology/plan.h"

namespace packetwarp {

// Where a pipeline of a function with tables is.
struct network_place {
  planned_pipeline const& planned;
  std::uint16_t ingress{};  // position of its RX port among the plan's
  function_tables tables;
};

// The executor of router, nat44 or rules on a pipeline's ring. Throws failure where its tables are missing.
[[nodiscard]] std::unique_ptr<executor> make_network_executor(data_plane_config const& config, burst_ring& ring,
                                                              gpu_settings const& gpu, network_place const& place);

}  // namespace packetwarp
