// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/control/line_server.h"
#include "cli/control/request.h"
#include "telemetry/report_board.h"

namespace packetwarp {

// "report": the run's report of the moment, as --json has it at the end. The board outlives the work.
[[nodiscard]] request_work answer_report(request const& asked, telemetry::report_board& board);

}  // namespace packetwarp
