// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/control/report_request.h"

#include <chrono>

#include "base/thread/background.h"

namespace packetwarp {

request_work report_answers::answer(request const& asked) {
  asked.require_known({});
  return [newest = newest_, &board = board_, before = newest_->number,
          since = telemetry::report_board::clock::now()]() mutable -> std::optional<std::string> {
    if (newest->line.valid() && !newest->is_ready()) return std::nullopt;
    // A report that was begun after this request: clients that request reports one after the other do not wait for each
    // other for ever.
    if (newest->number != before) return newest->line.get();
    auto const report = board.fresh(since);
    if (!report) return std::nullopt;
    if (newest->report == report) return newest->line.get();
    newest->report = report;
    ++newest->number;
    // The text is made in the background: thousands of rules are megabytes.
    newest->line =
        in_background([report] { return success_line_of(to_json(*report, telemetry::json_layout::one_line)); }).share();
    return std::nullopt;
  };
}

}  // namespace packetwarp
