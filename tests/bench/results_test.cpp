// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/results/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "bench/sample.h"
#include "traffic/usage_text.h"

namespace packetwarp::bench::results_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using enum executor_kind;
using test::measured_case;
using test::results_of;

TEST(bench_statistics, take_the_middle_and_the_ends) {
  EXPECT_EQ(spread_of({3, 1, 2}), (spread{2, 1, 3}));
  EXPECT_EQ(spread_of({4, 1, 2, 3}), (spread{2.5, 1, 4}));
  EXPECT_EQ(spread_of({7}), (spread{7, 7, 7}));
  EXPECT_EQ(spread_of({}), std::nullopt);
}

TEST(bench_statistics, have_no_ratio_to_nothing) {
  EXPECT_EQ(ratio(3, 2), 1.5);
  EXPECT_EQ(ratio(3, 0), std::nullopt);
  EXPECT_EQ(ratio(3, std::nullopt), std::nullopt);
  EXPECT_EQ(ratio(std::nullopt, 3), std::nullopt);
}

// Whether a bench with these figures has measured anything.
std::string complaint_about(results const& all) {
  try {
    require_figures(all);
  } catch (failure const& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(bench_results, without_a_single_figure_are_a_failure_with_the_first_reason) {
  bench_case refused;
  refused.status = case_status::failed;
  refused.reason = "exit status 2: no";
  EXPECT_EQ(complaint_about(results_of({refused, refused})),
            "no case has a figure; the first was failed: exit status 2: no");
  EXPECT_EQ(complaint_about(results_of({refused, measured_case({.executor = none}, {100})})), "");
}

results sample() {
  auto all =
      results_of({measured_case({.executor = none}, {100, 90, 110}), measured_case({.executor = cpu}, {80, 70, 90})});
  bench_case refused;
  refused.what.executor = kernel;
  refused.what.where = placement::split;
  refused.what.packet_time = std::chrono::nanoseconds{5};
  refused.status = case_status::unsupported;
  refused.reason = "no \"GPU\", sorry";
  all.cases.push_back(refused);
  all.cases[1].runs[0].latency_us = {1, 2, 3};
  all.cases[1].runs[1].latency_us = {3, 4, 5};
  all.cases[1].runs[2].latency_us = {2, 3, 9};
  peer io;
  io.runs.push_back({.mpps = 50});
  io.status = case_status::ok;
  all.peers.push_back(io);
  all.notices = {"not idle"};
  all.cpus = {0, 3};
  all.eal = {"--no-pci"};
  return all;
}

TEST(bench_results, stand_beside_none_cpu_and_testpmd_of_the_same_parameters) {
  auto const all = sample();
  auto const others = figures_beside(all, all.cases[1]);
  EXPECT_EQ(others.none, 100);
  EXPECT_EQ(others.cpu, 80);
  EXPECT_EQ(others.testpmd_io, 50);
  EXPECT_EQ(others.testpmd_macswap, std::nullopt);
  auto alone = all.cases[1];
  alone.what.burst = 99;
  EXPECT_EQ(figures_beside(all, alone).none, std::nullopt);
}

TEST(bench_results, show_no_figure_of_what_failed) {
  auto all = sample();
  all.cases[1].status = case_status::failed;
  all.cases[1].reason = "it broke";
  auto const made = nlohmann::json::parse(to_json(all));
  EXPECT_TRUE(made["cases"][1]["mpps"].is_null());
  EXPECT_TRUE(made["cases"][1]["latency_us"].is_null());
  EXPECT_TRUE(made["cases"][0]["beside"]["cpu"].is_null());
  EXPECT_THAT(to_text(all), AllOf(HasSubstr("1 case failed: it broke"), Not(HasSubstr("80.00"))));
}

TEST(bench_results, as_json_hold_medians_and_spreads) {
  auto const made = nlohmann::json::parse(to_json(sample()));
  EXPECT_EQ(made["benchmark"], "packetwarp_bench");
  auto const& one = made["cases"][1];
  EXPECT_EQ(one["mpps"]["median"], 80);
  EXPECT_EQ(one["mpps"]["min"], 70);
  EXPECT_EQ(one["mpps"]["max"], 90);
  EXPECT_EQ(one["latency_us"]["p50"], 2);
  EXPECT_EQ(one["latency_us"]["p999"], 5);
  EXPECT_EQ(one["beside"]["none"], 100);
  EXPECT_TRUE(one["offered_mpps"].is_null());
  EXPECT_EQ(made["cases"][2]["reason"], "no \"GPU\", sorry");
  EXPECT_EQ(made["peers"][0]["program"], "dpdk-testpmd");
}

class bench_file : public testing::Test {
 protected:
  ~bench_file() override { std::filesystem::remove(path_); }
  results read(std::string const& text) {
    std::ofstream{path_} << text;
    return read_results(path_);
  }
  std::string refusal(std::string const& text) {
    try {
      (void)read(text);
    } catch (usage_error const& refused) {
      return refused.what();
    }
    return {};
  }
  std::string path_{testing::TempDir() + "bench_file_" + std::to_string(::getpid()) + ".json"};
};

TEST_F(bench_file, comes_back_as_it_was_written) {
  auto const text = to_json(sample());
  EXPECT_EQ(to_json(read(text)), text);
}

TEST_F(bench_file, is_refused_by_its_name_when_it_is_something_else) {
  EXPECT_THAT(refusal("{}"), AllOf(HasSubstr(path_), HasSubstr("is no result of packetwarp bench")));
  EXPECT_THAT(refusal("no JSON"), HasSubstr(path_ + ":1:2: is no result of packetwarp bench: no JSON goes on"));
  EXPECT_THAT(refusal("{\n \"benchmark\": ?}"), HasSubstr(path_ + ":2:15: is no result of packetwarp bench"));
  EXPECT_THAT(refusal(""), HasSubstr(path_ + ": is no result of packetwarp bench: it is empty"));
  EXPECT_THAT(refusal(R"({"benchmark": "packetwarp_bench"})"),
              HasSubstr("packetwarp bench: key 'version' not found; give a file"));
  EXPECT_THAT(refusal(R"({"benchmark": "l2fwd_vs_testpmd"})"), HasSubstr("another benchmark"));
  auto broken = nlohmann::json::parse(to_json(sample()));
  broken["cases"][0]["executor"] = "abacus";
  EXPECT_THAT(refusal(broken.dump()), HasSubstr("'abacus' is not one of none, cpu"));
  broken = nlohmann::json::parse(to_json(sample()));
  broken["repeats"] = 4'000'000'000;
  EXPECT_THAT(refusal(broken.dump()), HasSubstr("repeats makes no sense"));
  for (auto const* const unreadable : {"/no/such/file", "/"}) {
    EXPECT_THAT(packetwarp::test::usage_text([&] { (void)read_results(unreadable); }), HasSubstr("cannot be read"))
        << unreadable;
  }
}

TEST(bench_results, do_not_mix_with_those_of_another_version_commit_or_machine) {
  auto const then = sample();
  EXPECT_EQ(difference(then, sample()), "");
  auto now = sample();
  now.commit = "def";
  EXPECT_EQ(difference(then, now), "commit abc, this is def");
  now = sample();
  now.version = "2";
  EXPECT_EQ(difference(then, now), "version 1.2.3, this is 2");
  now = sample();
  now.host["cpus"] = 8;
  EXPECT_EQ(difference(then, now), "cpus 4, this is 8");
}

TEST(bench_results, do_not_mix_with_those_of_another_gpu) {
  auto then = sample();
  then.host["gpus"] = nlohmann::ordered_json::parse(R"([{"index": 1, "name": "NVIDIA H200"}])");
  auto now = sample();
  now.host["gpus"] =
      nlohmann::ordered_json::parse(R"([{"index": 0, "name": "NVIDIA H100"}, {"index": 1, "name": "NVIDIA H200"}])");
  EXPECT_EQ(difference(then, now), "");
  now.host["gpus"][1]["name"] = "NVIDIA H100";
  EXPECT_EQ(difference(then, now), "GPU 1 NVIDIA H200, this is NVIDIA H100");
  now.host.erase("gpus");
  EXPECT_EQ(difference(then, now), "GPU 1 NVIDIA H200, this is none");
}

TEST(bench_results, as_csv_have_a_row_a_case_and_quote_what_needs_it) {
  auto const csv = to_csv(sample());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
  EXPECT_THAT(csv, HasSubstr("\nforward,cpu,host,32,64,1,2,0,run-to-completion,,ok,,3,80,70,90,"));
  EXPECT_THAT(csv, HasSubstr(",unsupported,\"no \"\"GPU\"\", sorry\",0,,,,"));
}

TEST(bench_results, as_text_say_once_what_is_the_same) {
  EXPECT_THAT(to_text(sample()),
              AllOf(HasSubstr("all: memory host, frame 64, pipelines 1"), HasSubstr("burst 32\n"),
                    HasSubstr("80.00 (70.00 to 90.00)"), HasSubstr("0.80"),
                    HasSubstr("1 case unsupported: no \"GPU\", sorry"), HasSubstr("note: not idle")));
}

}  // namespace
}  // namespace packetwarp::bench::results_tests
