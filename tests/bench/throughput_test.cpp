// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/throughput.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace packetwarp::bench::throughput_tests {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr std::string_view report =
    R"({"sent": {"packets": 1000, "seconds": 0.9}, "received": {"packets": 990, "mpps": 0.5},
  "lost": 10, "duplicates": 0, "corrupted": 0, "latency_us": {"p50": 1.0, "p99": 2.0, "p999": 3.0}})";

throughput_results results_of_one_case() {
  throughput_results all{.version = "1", .commit = "c", .started = "then", .command = "packetwarp bench"};
  throughput_case one{.status = case_status::ok, .line_mpps = 8};
  one.trials = {trial_from(std::string{report}, 0.001, 1),
                {.offered_mpps = 4, .sent = 4'000'000, .received = 4'000'000, .seconds = 1}};
  one.no_drop = {
      .tolerated_percent = 0, .mpps = 4, .above_mpps = 5, .above = trial_verdict::lossy, .at = 1, .is_complete = true};
  one.partial_drop = {.tolerated_percent = 0.5, .mpps = 0, .above_mpps = 0.01, .is_complete = true};
  all.cases.push_back(one);
  all.cases.emplace_back().status = case_status::unsupported;
  all.cases.back().reason = "no GPU";
  return all;
}

TEST(throughput, a_trial_is_what_the_generators_report_says) {
  auto const made = trial_from(std::string{report}, 0.001, 1);
  EXPECT_EQ(made.sent, 1000U);
  EXPECT_EQ(made.lost, 10U);
  EXPECT_DOUBLE_EQ(made.loss_percent(), 1);
  EXPECT_DOUBLE_EQ(made.latency_us->p99, 2);
  EXPECT_TRUE(made.is_offered());
}

TEST(throughput, packets_that_were_changed_are_no_loss_but_a_failure) {
  auto text = std::string{report};
  text.replace(text.find("\"corrupted\": 0"), 14, "\"corrupted\": 3");
  EXPECT_THROW((void)trial_from(text, 1, 1), failure);
  EXPECT_THROW((void)trial_from("{", 1, 1), failure);
}

TEST(throughput, cases_have_an_lcore_for_the_generator) {
  auto const cases = throughput_cases({.executors = {executor_kind::cpu}, .bursts = {32}}, 8);
  ASSERT_EQ(cases.size(), 2U);  // none and cpu
  EXPECT_EQ(cases[0].what.lcores, 3U);
  EXPECT_FALSE(cases[0].what.offered_mpps);
}

TEST(throughput, a_trial_drops_what_the_wire_does_not_take_and_full_speed_waits) {
  run_setup const setup{
      .eal = {}, .cpus = {0, 1, 2}, .run_time = std::chrono::seconds{1}, .testpmd = {}, .machine = {}};
  auto const trial = trial_command({.pipelines = 2}, setup, 3);
  EXPECT_THAT(trial, Contains("1500000pps"));
  EXPECT_THAT(trial, Contains("drop"));
  auto const full_speed = trial_command({.pipelines = 2}, setup, std::nullopt);
  EXPECT_THAT(full_speed, Contains("max"));
  EXPECT_THAT(full_speed, testing::Not(Contains("drop")));
}

TEST(throughput, is_told_with_every_trial) {
  auto const all = results_of_one_case();
  auto const json = nlohmann::json::parse(to_json(all));
  auto const& one = json.at("cases").at(0);
  EXPECT_EQ(one.at("trials").size(), 2U);
  EXPECT_EQ(one.at("trials").at(0).at("no_drop"), "lossy");
  EXPECT_EQ(one.at("trials").at(1).at("no_drop"), "passed");
  EXPECT_DOUBLE_EQ(one.at("ndr").at("line_percent"), 50);
  EXPECT_EQ(one.at("ndr").at("limited_by"), "loss");
  EXPECT_NEAR(one.at("ndr").at("gbps_l1"), 4 * 84 * 8 / 1000.0, 1e-9);
  EXPECT_EQ(json.at("cases").at(1).at("reason"), "no GPU");
  EXPECT_TRUE(json.at("cases").at(1).at("ndr").is_null());
  auto const csv = to_csv(all);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  auto const text = to_text(all);
  EXPECT_THAT(text, HasSubstr("4.000 (50.0 %)"));
  EXPECT_THAT(text, HasSubstr("none passed"));
  EXPECT_THAT(text, HasSubstr("unsupported: no GPU"));
}

TEST(throughput, a_rate_that_the_generator_limits_is_at_least_that) {
  auto all = results_of_one_case();
  all.cases[0].no_drop->above = trial_verdict::not_offered;
  EXPECT_THAT(to_text(all), HasSubstr("4.000 (50.0 %) or more"));
}

TEST(throughput, a_device_to_which_the_generator_offered_no_rate_has_dropped_nothing) {
  auto all = results_of_one_case();
  auto& one = all.cases[0];
  trial const slow{.offered_mpps = 8, .sent = 1000, .received = 1000, .seconds = 1};
  one.trials = {slow, slow};
  for (auto* const found : {&one.no_drop, &one.partial_drop}) {
    *found = {.mpps = 0, .above_mpps = 0.01, .above = trial_verdict::not_offered, .is_complete = true};
  }
  EXPECT_THAT(to_text(all), HasSubstr("none offered"));
  EXPECT_THAT(to_text(all), testing::Not(HasSubstr("none passed")));
  one.trials[1].lost = 1000;
  EXPECT_THAT(to_text(all), testing::Not(HasSubstr("none offered")));
  EXPECT_THAT(to_text(all), HasSubstr("none passed"));
}

}  // namespace
}  // namespace packetwarp::bench::throughput_tests
