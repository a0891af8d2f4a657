// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/metrics/metrics_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace packetwarp {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class metrics_pages : public testing::Test {
 protected:
  metrics_pages() { board_.close({.command = "l2fwd", .packets = {.rx = 7}}); }
  http_response ask(std::string path) {
    return metrics_page({.method = http_method::get, .path = std::move(path)}, board_);
  }
  telemetry::report_board board_;
};

TEST_F(metrics_pages, have_the_report_for_prometheus) {
  auto const said = ask("/metrics");
  EXPECT_EQ(said.status, 200);
  EXPECT_EQ(said.type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
  EXPECT_THAT(said.body, EndsWith("# EOF\n"));
}

TEST_F(metrics_pages, have_the_report_as_json) {
  auto const said = ask("/report.json");
  EXPECT_EQ(said.type, "application/json");
  EXPECT_THAT(said.body, HasSubstr("\"rx\": 7"));
}

TEST_F(metrics_pages, say_that_it_is_well) { EXPECT_EQ(ask("/healthz").body, "ok\n"); }

TEST_F(metrics_pages, say_which_there_are) {
  auto const said = ask("/metric");
  EXPECT_EQ(said.status, 404);
  EXPECT_THAT(said.body, HasSubstr("/metrics, /report.json and /healthz"));
}

}  // namespace
}  // namespace packetwarp
