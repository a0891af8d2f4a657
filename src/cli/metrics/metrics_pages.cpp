// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/metrics/metrics_pages.h"

#include <array>
#include <string_view>

namespace packetwarp {
namespace {

// The master looks a thousand times a second, and at millions of sessions or rules for some of them.
constexpr std::chrono::seconds patience{5};

struct page {
  std::string_view path;
  std::string_view type;
  std::string (*write)(telemetry::run_report const&);
};
constexpr std::array pages{
    page{"/metrics", "application/openmetrics-text; version=1.0.0; charset=utf-8", telemetry::to_openmetrics},
    page{"/report.json", "application/json", [](auto const& report) { return to_json(report) + '\n'; }},
    page{"/healthz", "text/plain; charset=utf-8", [](auto const& /*report*/) { return std::string{"ok\n"}; }},
};

}  // namespace

http_response metrics_page(http_request const& asked, telemetry::report_board& board) {
  for (auto const& one : pages) {
    if (one.path != asked.path) continue;
    auto const report = board.wait_for_fresh(patience);
    if (!report) return http_error(503, "the master makes no report: it has more to do, or it hangs");
    return {.status = 200, .type = std::string{one.type}, .body = one.write(*report)};
  }
  return http_error(404, "there are /metrics, /report.json and /healthz");
}

}  // namespace packetwarp
