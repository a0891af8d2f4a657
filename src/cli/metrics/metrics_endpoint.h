// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/control/control_thread.h"
#include "cli/metrics/http_server.h"
#include "telemetry/report_board.h"

namespace packetwarp {

// The pages of a run over HTTP, if they are wanted, on a thread that is no worker's.
class metrics_endpoint {
 public:
  // at: [ADDRESS:]PORT, empty for none. board outlives the endpoint. Logs its address. Throws usage_error or failure.
  metrics_endpoint(std::string const& at, telemetry::report_board& board);

 private:
  std::optional<http_server> server_;
  std::optional<control_thread> thread_;  // ends before the objects that it serves
};

}  // namespace packetwarp
