// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/advise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/interpolate.h"
#include "bench/sample.h"

namespace packetwarp::bench::advise_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;
using enum executor_kind;
using test::measured_case;
using test::results_of;
using verdict = candidate::verdict;

point at(std::uint32_t bytes, std::chrono::nanoseconds work, double mpps) { return {bytes, work, {mpps, mpps, mpps}}; }

TEST(bench_interpolation, is_what_was_measured_where_it_was) {
  auto const found = interpolate({at(64, 0ns, 10), at(512, 0ns, 5)}, 512, 0ns);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->mpps.median, 5);
  EXPECT_EQ(found->between, "");
}

TEST(bench_interpolation, is_of_time_a_packet) {
  // 100 ns and 300 ns per packet: half way it is 200 ns.
  auto const found = interpolate({at(100, 0ns, 10), at(300, 0ns, 10.0 / 3)}, 200, 0ns);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->mpps.median, 5);
  EXPECT_EQ(found->between, "between 100 and 300 B");
}

TEST(bench_interpolation, goes_by_size_and_then_by_work) {
  auto const found = interpolate({at(100, 0ns, 10), at(300, 0ns, 10), at(100, 100ns, 5), at(300, 100ns, 5)}, 200, 50ns);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->mpps.median, 1 / 0.15);
  EXPECT_EQ(found->between, "between 100 and 300 B, between 0 ns and 100 ns of work");
}

TEST(bench_interpolation, never_goes_beyond_the_points) {
  std::vector<point> const points{at(64, 0ns, 10), at(512, 0ns, 5), at(64, 100ns, 4)};
  EXPECT_FALSE(interpolate(points, 513, 0ns));
  EXPECT_FALSE(interpolate(points, 63, 0ns));
  EXPECT_FALSE(interpolate(points, 64, 101ns));
  EXPECT_FALSE(interpolate(points, 512, 100ns));  // 512 was not measured with work
  EXPECT_FALSE(interpolate({}, 64, 0ns));
}

results sample() {
  return results_of({
      measured_case({.executor = none, .pipelines = 1, .lcores = 2}, {100, 100, 100}),
      measured_case({.executor = cpu, .burst = 32, .pipelines = 1, .lcores = 2}, {9, 10, 11}),
      measured_case({.executor = cpu, .burst = 64, .pipelines = 1, .lcores = 2}, {13, 14, 15}),
      measured_case({.executor = cpu, .burst = 64, .pipelines = 2, .lcores = 3}, {26, 27, 28}),
      measured_case({.executor = persistent, .burst = 64, .pipelines = 2, .lcores = 3}, {60, 61, 62}),
  });
}

// The same case at an offered rate: one more lcore, for the generator.
bench_case offered(parameters what, double mpps, double came, double p99) {
  what.offered_mpps = mpps;
  ++what.lcores;
  auto one = measured_case(what, {came});
  one.runs[0].latency_us = {p99 / 2, p99, p99 * 2};
  return one;
}

TEST(bench_advice, is_the_fewest_lcores_that_carry_the_rate_with_a_tenth_to_spare) {
  auto const given = advise(sample(), {.mpps = 12});
  ASSERT_TRUE(given.is_possible());
  EXPECT_EQ(given.candidates[0].what.burst, 64U);
  EXPECT_EQ(given.candidates[0].what.lcores, 2U);
  auto const more = advise(sample(), {.mpps = 13});  // 14 is less than 14.3
  ASSERT_TRUE(more.is_possible());
  EXPECT_EQ(more.candidates[0].what.executor, persistent);  // more to spare than the CPU on as many lcores
  EXPECT_EQ(more.candidates[0].what.lcores, 3U);
}

TEST(bench_advice, asks_the_slowest_run_too) {
  auto const all = results_of({measured_case({.executor = cpu}, {9, 20, 21})});
  EXPECT_FALSE(advise(all, {.mpps = 10}).is_possible());
  EXPECT_TRUE(advise(all, {.mpps = 9}).is_possible());
}

TEST(bench_advice, never_is_to_do_nothing) {
  auto const given = advise(sample(), {.mpps = 80});
  EXPECT_FALSE(given.is_possible());
  for (auto const& one : given.candidates) EXPECT_NE(one.what.executor, none);
  EXPECT_EQ(given.candidates[0].what.executor, persistent);
  EXPECT_THAT(to_text(given, {.mpps = 80}), AllOf(HasSubstr("none: no measured case carries that"),
                                                  HasSubstr("61.00 Mpps"), Not(HasSubstr("use  "))));
}

TEST(bench_advice, prefers_latency_where_that_is_wanted) {
  auto all = sample();
  all.cases.push_back(offered(all.cases[2].what, 5, 5, 20));
  all.cases.push_back(offered(all.cases[4].what, 5, 5, 6));
  EXPECT_EQ(advise(all, {.mpps = 5}).candidates[0].what.executor, cpu);
  auto const given = advise(all, {.mpps = 5, .first = preference::latency});
  EXPECT_EQ(given.candidates[0].what.executor, persistent);
  EXPECT_EQ(given.candidates[0].latency_us->p99, 6);
}

TEST(bench_advice, holds_latency_to_a_limit_and_does_not_guess_it) {
  auto all = sample();
  all.cases.push_back(offered(all.cases[2].what, 5, 5, 20));
  all.cases.push_back(offered(all.cases[4].what, 5, 5, 6));
  auto const given = advise(all, {.mpps = 5, .latency_limit = 10us});
  ASSERT_TRUE(given.is_possible());
  EXPECT_EQ(given.candidates[0].what.executor, persistent);
  for (auto const& one : given.candidates) {
    if (one.what.executor != cpu) continue;
    EXPECT_EQ(one.judged, one.what == all.cases[2].what ? verdict::too_late : verdict::latency_unknown);
  }
  EXPECT_FALSE(advise(all, {.mpps = 5, .latency_limit = 1us}).is_possible());
  EXPECT_FALSE(advise(sample(), {.mpps = 5, .latency_limit = 1h}).is_possible());
}

TEST(bench_advice, takes_latency_between_two_offered_rates_and_not_beyond) {
  auto all = results_of({measured_case({.executor = cpu}, {100})});
  all.cases.push_back(offered(all.cases[0].what, 2, 2, 10));
  all.cases.push_back(offered(all.cases[0].what, 6, 6, 30));
  auto const between = advise(all, {.mpps = 4}).candidates[0];
  ASSERT_TRUE(between.latency_us);
  EXPECT_DOUBLE_EQ(between.latency_us->p99, 20);
  EXPECT_EQ(between.latency_basis, "between 2 and 6 Mpps offered");
  EXPECT_DOUBLE_EQ(advise(all, {.mpps = 6}).candidates[0].latency_us->p99, 30);
  EXPECT_FALSE(advise(all, {.mpps = 7}).candidates[0].latency_us);
  EXPECT_FALSE(advise(all, {.mpps = 1}).candidates[0].latency_us);
}

TEST(bench_advice, takes_no_latency_of_a_run_that_did_not_keep_up) {
  auto all = results_of({measured_case({.executor = cpu}, {100})});
  all.cases.push_back(offered(all.cases[0].what, 4, 3, 10));
  auto const one = advise(all, {.mpps = 4}).candidates[0];
  EXPECT_FALSE(one.latency_us);
  EXPECT_EQ(one.latency_basis, "of 4 Mpps offered only 3.00 came through");
}

TEST(bench_advice, says_plainly_that_the_data_hold_nothing_near) {
  auto const given = advise(sample(), {.mpps = 1, .frame_bytes = 512, .packet_time = 500ns});
  EXPECT_FALSE(given.is_possible());
  EXPECT_THAT(to_text(given, {.mpps = 1, .frame_bytes = 512, .packet_time = 500ns}),
              AllOf(HasSubstr("nothing near that size and work"), HasSubstr("frames of 64 bytes, work of 0 ns")));
}

TEST(bench_advice, says_why_with_the_figures_it_used) {
  auto all = sample();
  all.notices = {"not idle"};
  EXPECT_THAT(to_text(advise(all, {.mpps = 20}), {.mpps = 20}),
              AllOf(HasSubstr("use  -w persistent -m host -b 64 -p 2 --workers run-to-completion\n"),
                    HasSubstr("it reached 61.00 Mpps (lowest 60.00), 3.0 times the rate, on 3 lcores: measured"),
                    HasSubstr("with fewer lcores: cpu, burst 64, 64 B, 1 pipeline reached 14.00 Mpps (lowest 13.00) on "
                              "2: too slow"),
                    HasSubstr("note: not idle")));
}

TEST(bench_advice, leaves_out_what_failed) {
  auto all = sample();
  all.cases[4].status = case_status::failed;
  EXPECT_EQ(advise(all, {.mpps = 20}).candidates[0].what.executor, cpu);
}

}  // namespace
}  // namespace packetwarp::bench::advise_tests
