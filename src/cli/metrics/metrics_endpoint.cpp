// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/metrics/metrics_endpoint.h"

#include "base/error.h"
#include "base/log/log.h"
#include "cli/metrics/metrics_pages.h"

namespace packetwarp {

metrics_endpoint::metrics_endpoint(observer_options const& options, telemetry::report_board& board) {
  if (options.metrics.empty()) return;
  try {
    listen(options.metrics, board);
  } catch (usage_error const& wrong) {
    throw usage_error(options.metrics_place + wrong.what());
  } catch (failure const& wrong) {
    throw failure(options.metrics_place + wrong.what());
  }
}

void metrics_endpoint::listen(std::string const& at, telemetry::report_board& board) {
  server_.emplace(parse_listen_address(at, "--metrics"),
                  [&board](http_request const& asked, http_server::clock::time_point until) {
                    return metrics_page(asked, board, until);
                  });
  thread_.emplace("pw-metrics", [this](std::stop_token const& stop) { server_->serve(stop); });
  log().info("metrics: http://{}/metrics", to_text(server_->address()));
}

}  // namespace packetwarp
