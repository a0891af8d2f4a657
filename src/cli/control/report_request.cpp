// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/control/report_request.h"

#include <future>
#include <memory>

namespace packetwarp {

request_work answer_report(request const& asked, telemetry::report_board& board) {
  asked.require_known({});
  // Shared: what is written beside the master cannot be copied.
  auto const written = std::make_shared<std::future<std::string>>();
  return [written, &board, since = telemetry::report_board::clock::now()]() -> std::optional<std::string> {
    if (!written->valid()) {
      auto const report = board.fresh(since);
      if (!report) return std::nullopt;
      // Thousands of rules are megabytes.
      *written = std::async(std::launch::async,
                            [report] { return success_line_of(to_json(*report, telemetry::json_layout::one_line)); });
    }
    if (written->wait_for(std::chrono::seconds{0}) != std::future_status::ready) return std::nullopt;
    return written->get();
  };
}

}  // namespace packetwarp
