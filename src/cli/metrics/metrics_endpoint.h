// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/control/control_thread.h"
#include "cli/metrics/http_server.h"
#include "cli/observer_options.h"
#include "telemetry/report_board.h"

namespace packetwarp {

// The pages of a run over HTTP, if they are wanted, on a thread that is no worker's.
class metrics_endpoint {
 public:
  // board outlives the endpoint. Logs its address. Throws usage_error or failure.
  metrics_endpoint(observer_options const& options, telemetry::report_board& board);

 private:
  void listen(std::string const& at, telemetry::report_board& board);

  std::optional<http_server> server_;
  std::optional<control_thread> thread_;  // ends before the objects that it serves
};

}  // namespace packetwarp
