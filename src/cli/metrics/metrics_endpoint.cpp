// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/metrics/metrics_endpoint.h"

#include "base/log/log.h"
#include "cli/metrics/metrics_pages.h"

namespace packetwarp {

metrics_endpoint::metrics_endpoint(std::string const& at, telemetry::report_board& board) {
  if (at.empty()) return;
  server_.emplace(parse_listen_address(at, "--metrics"),
                  [&board](http_request const& asked, http_server::clock::time_point until) {
                    return metrics_page(asked, board, until);
                  });
  thread_.emplace("pw-metrics", [this](std::stop_token const& stop) { server_->serve(stop); });
  log().info("metrics: http://{}/metrics", to_text(server_->address()));
}

}  // namespace packetwarp
