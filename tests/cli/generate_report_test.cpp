// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/generate/report.h"

namespace packetwarp {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

generate_report sample() {
  traffic::outcome const there{.sent = {1000, 60'000}, .received = {998, 59'880}, .lost = 3, .duplicates = 1};
  traffic::outcome const nowhere{.sent = {500, 30'000}, .received = {}};
  telemetry::histogram latency;
  latency.record(2000, 998);
  generate_report report{.traffic = "udp",
                         .rate = "max",
                         .through = "",
                         .expected = "as-sent",
                         .ended_by = "count",
                         .plane = {},
                         .plane_latency_us = {},
                         .result = {}};
  report.result.how = traffic::verification::every_byte;
  report.result.directions = {{port_id{0}, port_id{1}, there}, {port_id{2}, std::nullopt, nowhere}};
  report.result.total = there;
  report.result.total += nowhere;
  report.result.sending_seconds = 1e-3;
  report.result.receiving_seconds = 2e-3;
  report.result.latency = latency.snapshot();
  report.result.cycles_per_second = 2e9;
  return report;
}

TEST(generate_report, as_json_holds_every_number) {
  auto const made = nlohmann::json::parse(to_json(sample()));
  EXPECT_EQ(made["flawless"], false);
  EXPECT_EQ(made["verification"], "every-byte");
  EXPECT_EQ(made["sent"]["packets"], 1500);
  EXPECT_EQ(made["sent"]["bytes"], 90'000);
  EXPECT_DOUBLE_EQ(made["sent"]["mpps"], 1.5);
  EXPECT_DOUBLE_EQ(made["sent"]["gbps_l2"], 0.768);
  EXPECT_DOUBLE_EQ(made["sent"]["gbps_l1"], 1.008);
  EXPECT_EQ(made["received"]["packets"], 998);
  EXPECT_EQ(made["lost"], 3);
  EXPECT_EQ(made["duplicates"], 1);
  EXPECT_EQ(made["latency_us"]["samples"], 998);
  EXPECT_NEAR(made["latency_us"]["p999"], 1.0, 0.02);
  EXPECT_EQ(made["directions"][0]["to"], 1);
  EXPECT_EQ(made["directions"][0]["lost"], 3);
  EXPECT_TRUE(made["directions"][1]["to"].is_null());
  EXPECT_TRUE(made["through"].is_null());
}

TEST(generate_report, as_json_holds_the_name_of_a_file_that_is_no_utf_8) {
  auto report = sample();
  report.traffic =
      "replay of c\xff"
      "ap.pcap";
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["traffic"],
            "replay of c\xef\xbf\xbd"
            "ap.pcap");
}

TEST(generate_report, has_no_rate_without_time_and_no_latency_without_packets) {
  auto report = sample();
  report.result.sending_seconds = 0;
  report.result.latency = {};
  auto const made = nlohmann::json::parse(to_json(report));
  EXPECT_TRUE(made["sent"]["mpps"].is_null());
  EXPECT_TRUE(made["latency_us"].is_null());
  EXPECT_THAT(to_text(report), Not(HasSubstr("latency")));
}

TEST(generate_report, as_text_says_whether_there_were_flaws) {
  EXPECT_THAT(to_text(sample()), AllOf(HasSubstr("every-byte, expected as-sent: FLAWED"), HasSubstr("1.50 Mpps"),
                                       HasSubstr("p99.9 1"), HasSubstr("port 0"), HasSubstr("lost")));
  auto report = sample();
  report.result.total.lost = report.result.total.duplicates = 0;
  EXPECT_THAT(to_text(report), HasSubstr("flawless; not verified: what is sent by port 2\n"));
  report.result.how = traffic::verification::none;
  EXPECT_THAT(to_text(report), HasSubstr("verified  nothing: no port receives\n"));
  report.result.how = traffic::verification::every_byte;
  report.result.directions.pop_back();
  EXPECT_THAT(to_text(report), HasSubstr("flawless\n"));
}

TEST(generate_report, calls_every_kind_of_harm_a_flaw_but_not_strangers) {
  using traffic::outcome;
  for (auto const member : {&outcome::lost, &outcome::duplicates, &outcome::reordered, &outcome::corrupted}) {
    outcome what;
    what.*member = 1;
    EXPECT_FALSE(what.is_flawless());
  }
  EXPECT_TRUE((outcome{.unknown = 5, .tx_full = 5, .no_mbuf = 5}.is_flawless()));
}

TEST(generate_report, says_how_much_of_the_asked_rate_was_not_sent) {
  auto report = sample();
  report.rate = "5.00 Mpps a port";
  EXPECT_THAT(to_text(report), Not(HasSubstr("shortfall"))) << "as fast as it goes is always reached";
  EXPECT_TRUE(nlohmann::json::parse(to_json(report))["rate_reached"].is_null());
  report.result.pace = {.passed = 1000, .lapsed = 9};
  EXPECT_THAT(to_text(report), Not(HasSubstr("shortfall")));
  report.result.directions[0].pace = {.passed = 500, .lapsed = 190};
  report.result.directions[1].pace = {.passed = 500, .lapsed = 0};
  report.result.pace = {.passed = 1000, .lapsed = 190};
  EXPECT_THAT(to_text(report),
              HasSubstr("shortfall 19.0% of the asked rate (5.00 Mpps a port) was not sent; port 0 reached "
                        "62.0%; port 2 reached 100.0%\n"));
  report.result.total.lost = report.result.total.duplicates = 0;
  EXPECT_THAT(to_text(report), HasSubstr("flawless, of the sent packets; not verified: what is sent by port 2\n"));
  auto const made = nlohmann::json::parse(to_json(report));
  EXPECT_DOUBLE_EQ(made["rate_reached"], 0.81);
  EXPECT_EQ(made["fell_short"], true);
  EXPECT_DOUBLE_EQ(made["directions"][0]["rate_reached"], 0.62);
}

TEST(generate_report, has_a_live_line_on_a_stretch) {
  traffic::live_period const period{.elapsed_seconds = 2,
                                    .seconds = 0.5,
                                    .from = {.sent = {100, 6000}, .received = {100, 6000}},
                                    .to = {.sent = {1100, 66'000}, .received = {600, 36'000}, .lost = 500}};
  EXPECT_THAT(live_line(period), AllOf(HasSubstr("2.0 s"), HasSubstr("sent 2.00 kpps"), HasSubstr("1.34 Mb/s L1"),
                                       HasSubstr("1.00 kpps"), HasSubstr("not back      500")));
}

}  // namespace
}  // namespace packetwarp
