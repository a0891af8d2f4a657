// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/control/line_server.h"
#include "plan/plan.h"

namespace packetwarp {

// A master that forwards packets itself gives requests a tenth of its time.
[[nodiscard]] inline line_server_limits request_limits(plan const& made) {
  line_server_limits limits;
  if (!made.workers.empty() && !made.workers.front().jobs.empty()) limits.rest = 9;
  return limits;
}

}  // namespace packetwarp
