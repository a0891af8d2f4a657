// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/metrics/metrics_pages.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace packetwarp {
namespace {

using clock = telemetry::report_board::clock;

// The greatest age of a report about the run's health: a longer --report-age saves the master's time, and must not hide
// that the master hangs.
constexpr std::chrono::seconds health_age{1};

constexpr std::string_view text_type = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::string_view openmetrics_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";

// The format follows from the media types that the client accepts. Clients without the header, curl and browsers get
// the text.
[[nodiscard]] http_response metrics_of(http_request const& asked, telemetry::run_report const& report) {
  using telemetry::exposition;
  bool const as_openmetrics = prefers(asked.accept, "application/openmetrics-text", "text/plain");
  return {.status = 200,
          .type = std::string{as_openmetrics ? openmetrics_type : text_type},
          .body = to_metrics(report, as_openmetrics ? exposition::openmetrics : exposition::text)};
}
[[nodiscard]] http_response report_of(http_request const& /*asked*/, telemetry::run_report const& report) {
  return {.status = 200, .type = "application/json", .body = to_json(report) + '\n'};
}
[[nodiscard]] http_response health_of(http_request const& /*asked*/, telemetry::run_report const& /*report*/) {
  return {.body = "ok\n"};
}

// The obstacles to forwarding all that a run was set up for; empty if none exist.
[[nodiscard]] std::vector<std::string> hindrances_of(telemetry::run_report const& report) {
  std::vector<std::string> all;
  if (report.phase != "running") all.push_back(fmt::format("the run is {}", report.phase));
  for (auto const& p : report.ports) {
    if (p.state == "up") continue;
    auto const name = p.interface.empty() ? p.name : fmt::format("{}, {}", p.name, p.interface);
    all.push_back(fmt::format("port {} ({}): {}", p.id, name,
                              p.state == "down"   ? "link down"
                              : p.state == "lost" ? "kernel interface deleted"
                                                  : "device taken away"));
  }
  for (auto const& k : report.twins) {
    if (k.state == "lost") all.push_back(fmt::format("kernel interface {}: deleted", k.name));
    if (k.state == "down") all.push_back(fmt::format("kernel interface {}: set down", k.name));
  }
  return all;
}

// A driver may name a port in any bytes.
[[nodiscard]] http_response readiness_of(http_request const& /*asked*/, telemetry::run_report const& report) {
  auto const why = hindrances_of(report);
  nlohmann::ordered_json const said{{"ready", why.empty()}, {"why", why}};
  return {.status = why.empty() ? 200 : 503,
          .type = "application/json",
          .body = said.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n'};
}

struct page {
  std::string_view path;
  std::string_view what;
  http_response (*write)(http_request const& asked, telemetry::run_report const& report);
  clock::duration age{clock::duration::max()};  // the report's greatest age; at most the board's period
};
constexpr std::array pages{
    page{"/metrics", "metrics for Prometheus: its text format, or OpenMetrics for clients that ask for it", metrics_of},
    page{"/report.json", "the report of the moment, as --json writes it at the end", report_of},
    page{"/healthz", "ok, while the master makes reports", health_of, health_age},
    page{"/readyz", "whether it forwards by all of its ports: status 200, or 503 and why not", readiness_of,
         health_age},
};

[[nodiscard]] http_response index_page() {
  std::string list;
  for (auto const& one : pages) list += fmt::format("<li><a href=\"{0}\">{0}</a>: {1}</li>\n", one.path, one.what);
  return {
      .type = "text/html; charset=utf-8",
      .body = fmt::format("<!doctype html>\n<title>packetwarp</title>\n<h1>packetwarp</h1>\n<ul>\n{}</ul>\n", list)};
}

}  // namespace

http_response metrics_page(http_request const& asked, telemetry::report_board& board, clock::time_point until) {
  // The index also works while the master makes no report.
  if (asked.path == "/") return index_page();
  for (auto const& one : pages) {
    if (one.path != asked.path) continue;
    auto const report = board.wait_for_fresh(until - clock::now(), one.age);
    if (!report) return http_error(503, "the master makes no report: it has more to do, or it hangs");
    return one.write(asked, *report);
  }
  return http_error(404, "there are /, /metrics, /report.json, /healthz and /readyz");
}

}  // namespace packetwarp
