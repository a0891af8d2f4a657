// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/metrics/http_message.h"
#include "telemetry/report_board.h"

namespace packetwarp {

// The pages of a run:
//   /              the names of the others
//   /metrics       its report for Prometheus: as text, or as OpenMetrics for clients that prefer it
//   /report.json   the same as in --json
//   /healthz       200 while the master makes reports, 503 when it does not
//   /readyz        200 while the run forwards and all its ports are there with their links up, else 503; why, as JSON
// The reports of the last two are at most a second old, also where the board's period is longer. Waits for a report
// until a time; not for the master. Any number of threads.
[[nodiscard]] http_response metrics_page(http_request const& asked, telemetry::report_board& board,
                                         telemetry::report_board::clock::time_point until);

}  // namespace packetwarp
