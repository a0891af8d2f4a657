// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/metrics/metrics_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace packetwarp {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using clock = telemetry::report_board::clock;

class metrics_pages : public testing::Test {
 protected:
  metrics_pages() { board_.close({.command = "l2fwd", .packets = {.rx = 7}}); }
  http_response ask(std::string path, std::string accept = "") {
    return metrics_page({.method = http_method::get, .path = std::move(path), .accept = std::move(accept)}, board_,
                        clock::time_point{});
  }
  telemetry::report_board board_;
};

TEST_F(metrics_pages, have_the_report_as_text_for_who_does_not_ask_for_openmetrics) {
  for (auto const* const accept : {"", "*/*", "text/plain", "text/html,*/*;q=0.8", "text/plain;version=0.0.4"}) {
    auto const said = ask("/metrics", accept);
    EXPECT_EQ(said.status, 200);
    EXPECT_EQ(said.type, "text/plain; version=0.0.4; charset=utf-8") << accept;
    EXPECT_THAT(said.body, HasSubstr("# TYPE packetwarp_uptime_seconds gauge\n"));
    EXPECT_THAT(said.body, Not(HasSubstr("# EOF"))) << accept;
  }
}

TEST_F(metrics_pages, have_the_report_as_openmetrics_for_who_asks_for_it) {
  // The last is Prometheus 2.42's.
  for (auto const* const accept :
       {"application/openmetrics-text", "Application/OpenMetrics-Text; version=1.0.0; charset=utf-8",
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/"
        "plain;version=0.0.4;q=0.5,*/*;q=0.1"}) {
    auto const said = ask("/metrics", accept);
    EXPECT_EQ(said.type, "application/openmetrics-text; version=1.0.0; charset=utf-8") << accept;
    EXPECT_THAT(said.body, EndsWith("# EOF\n"));
  }
}

TEST_F(metrics_pages, have_the_report_as_json) {
  auto const said = ask("/report.json");
  EXPECT_EQ(said.type, "application/json");
  EXPECT_THAT(said.body, HasSubstr("\"rx\": 7"));
}

TEST_F(metrics_pages, say_that_it_is_well) { EXPECT_EQ(ask("/healthz").body, "ok\n"); }

// A report age of a minute does not hide that the master hangs.
TEST(health_pages, need_a_report_of_the_last_second) {
  telemetry::report_board board{std::chrono::minutes{1}};
  board.post({.command = "run", .phase = "running"}, clock::now() - std::chrono::seconds{30});
  auto const status = [&](std::string path) {
    return metrics_page({.method = http_method::get, .path = std::move(path), .accept = ""}, board, clock::time_point{})
        .status;
  };
  EXPECT_EQ(status("/metrics"), 200);
  EXPECT_EQ(status("/healthz"), 503);
  EXPECT_EQ(status("/readyz"), 503);
}

struct readiness_case {
  std::string what;
  telemetry::run_report report;
  int status;
  std::string body;
};
class readiness : public testing::TestWithParam<readiness_case> {};

TEST_P(readiness, is_of_all_ports_and_of_the_run) {
  auto const& [what, report, status, body] = GetParam();
  telemetry::report_board board;
  board.close(report);
  auto const said =
      metrics_page({.method = http_method::get, .path = "/readyz", .accept = ""}, board, clock::time_point{});
  EXPECT_EQ(said.status, status);
  EXPECT_EQ(said.type, "application/json");
  EXPECT_EQ(said.body, body + "\n");
}

telemetry::run_report report_of(std::string const& phase, std::vector<telemetry::port_report> ports) {
  return {.command = "run", .phase = phase, .ports = std::move(ports)};
}

INSTANTIATE_TEST_SUITE_P(
    of, readiness,
    testing::Values(
        readiness_case{"ports_that_are_up", report_of("running", {{.id = 0, .name = "a"}, {.id = 1, .name = "b"}}), 200,
                       R"({"ready":true,"why":[]})"},
        readiness_case{"a_port_whose_link_is_down",
                       report_of("running", {{.id = 0, .name = "a"}, {.id = 1, .name = "b", .state = "down"}}), 503,
                       R"({"ready":false,"why":["port 1 (b): link down"]})"},
        readiness_case{"ports_that_are_gone",
                       report_of("running", {{.id = 0, .name = "a", .interface = "left", .state = "lost"},
                                             {.id = 3, .name = "b", .interface = "right", .state = "removed"}}),
                       503,
                       R"({"ready":false,"why":["port 0 (a, left): kernel interface deleted",)"
                       R"("port 3 (b, right): device taken away"]})"},
        readiness_case{
            "kernel_interfaces",
            {.command = "run",
             .phase = "running",
             .twins = {{.name = "a.kni"}, {.name = "b.kni", .state = "down"}, {.name = "c.kni", .state = "lost"}}},
            503,
            R"({"ready":false,"why":["kernel interface b.kni: set down","kernel interface c.kni: deleted"]})"},
        readiness_case{"a_run_that_drains", report_of("draining", {{.id = 0, .name = "a"}}), 503,
                       R"({"ready":false,"why":["the run is draining"]})"},
        readiness_case{"a_run_that_has_ended", report_of("ended", {{.id = 0, .name = "a"}}), 503,
                       R"({"ready":false,"why":["the run is ended"]})"}),
    [](auto const& given) { return given.param.what; });

TEST_F(metrics_pages, have_a_page_that_names_the_others) {
  auto const said = ask("/");
  EXPECT_EQ(said.status, 200);
  EXPECT_EQ(said.type, "text/html; charset=utf-8");
  for (auto const* const path : {"/metrics", "/report.json", "/healthz", "/readyz"}) {
    EXPECT_THAT(said.body, HasSubstr(std::string{"href=\""} + path + '"'));
  }
}

TEST_F(metrics_pages, say_which_there_are) {
  auto const said = ask("/metric");
  EXPECT_EQ(said.status, 404);
  EXPECT_THAT(said.body, HasSubstr("/, /metrics, /report.json, /healthz and /readyz"));
}

}  // namespace
}  // namespace packetwarp
