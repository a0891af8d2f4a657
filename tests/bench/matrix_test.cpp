// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traffic/usage_text.h"

namespace packetwarp::bench::matrix_tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;
using enum executor_kind;

matrix small() { return {.executors = {cpu}, .bursts = {32}}; }

std::vector<executor_kind> executors_of(std::vector<parameters> const& cases) {
  std::vector<executor_kind> all;
  for (auto const& one : cases) all.push_back(one.executor);
  return all;
}

TEST(bench_matrix, holds_none_and_cpu_beside_whatever_is_asked_for) {
  auto m = small();
  m.executors = {persistent};
  EXPECT_THAT(executors_of(cases_of(m, 8)), ElementsAre(none, cpu, persistent));
  m.executors = {cpu, none};
  EXPECT_THAT(executors_of(cases_of(m, 8)), ElementsAre(none, cpu));
}

TEST(bench_matrix, is_every_combination) {
  auto m = small();
  m.bursts = {16, 64};
  m.frame_bytes = {64, 512};
  m.pipelines = {1, 2};
  EXPECT_EQ(cases_of(m, 8).size(), 2U * 2 * 2 * 2);
}

TEST(bench_matrix, runs_none_once_for_all_work) {
  auto m = small();
  m.packet_times = {0ns, 500ns};
  auto const cases = cases_of(m, 8);
  EXPECT_THAT(executors_of(cases), ElementsAre(none, cpu, cpu));
  EXPECT_EQ(cases[0].packet_time, 0ns);
  EXPECT_EQ(cases[2].packet_time, 500ns);
}

TEST(bench_matrix, places_only_what_a_gpu_runs_elsewhere) {
  auto m = small();
  m.executors = {kernel};
  m.placements = {placement::device, placement::split};
  auto const cases = cases_of(m, 8);
  EXPECT_THAT(executors_of(cases), ElementsAre(none, cpu, kernel, kernel));
  EXPECT_EQ(cases[1].where, placement::host);
  EXPECT_EQ(cases[2].where, placement::device);
  EXPECT_EQ(cases[3].where, placement::split);
}

TEST(bench_matrix, offers_rates_beside_cases_that_go_as_fast_as_they_can) {
  auto m = small();
  m.frame_bytes = {512};
  m.offered = {{1e6, rate::unit::packets_per_second}, {8.192e9, rate::unit::l2_bits_per_second}};
  auto const cases = cases_of(m, 8);
  ASSERT_EQ(cases.size(), 6U);
  EXPECT_FALSE(cases[1].offered_mpps);
  EXPECT_DOUBLE_EQ(*cases[3].offered_mpps, 1);
  EXPECT_DOUBLE_EQ(*cases[5].offered_mpps, 2);
}

TEST(bench_matrix, takes_as_many_lcores_as_the_jobs_can_use_and_there_are) {
  auto const lcores = [](arrangement how, std::uint32_t there, bool offered) {
    auto m = small();
    m.pipelines = {2};
    m.workers = {how};
    if (offered) m.offered = {{1e6, rate::unit::packets_per_second}};
    return cases_of(m, there).back().lcores;
  };
  EXPECT_EQ(lcores(arrangement::run_to_completion, 64, false), 3U);
  EXPECT_EQ(lcores(arrangement::run_to_completion, 64, true), 4U);
  EXPECT_EQ(lcores(arrangement::pair, 64, false), 5U);
  EXPECT_EQ(lcores(arrangement::isolated_rx, 64, false), 5U);
  EXPECT_EQ(lcores(arrangement::pair_cpu, 64, false), 7U);
  EXPECT_EQ(lcores(arrangement::pair_cpu, 4, false), 4U);
}

TEST(bench_matrix, has_testpmd_only_where_it_does_the_same) {
  parameters const same{.burst = 64, .frame_bytes = 128, .pipelines = 2, .lcores = 3};
  auto const peer = peer_of(same, testpmd_mode::macswap);
  ASSERT_TRUE(peer);
  EXPECT_EQ(*peer, (peer_parameters{testpmd_mode::macswap, 64, 128, 2, 3}));
  auto const differs = [&](auto change) {
    auto other = same;
    change(other);
    return !peer_of(other, testpmd_mode::io).has_value();
  };
  EXPECT_TRUE(differs([](auto& p) { p.packet_time = 1ns; }));
  EXPECT_TRUE(differs([](auto& p) { p.offered_mpps = 1; }));
  EXPECT_TRUE(differs([](auto& p) { p.workers = arrangement::pair; }));
  EXPECT_TRUE(differs([](auto& p) { p.burst = 513; }));
  EXPECT_TRUE(differs([](auto& p) { p.lcores = 1; }));
}

TEST(bench_matrix, has_each_mode_of_testpmd_once_for_all_executors) {
  auto m = small();
  m.executors = {cpu, kernel, persistent};
  EXPECT_EQ(peers_of(cases_of(m, 8)).size(), 2U);
}

TEST(bench_matrix, refuses_a_share_of_a_line_that_is_not_there) {
  for (auto const* text : {"50%", "max"}) {
    EXPECT_THAT(packetwarp::test::usage_text([&] { (void)to_mpps(parse_rate(text, "--rate"), 64, "--rate"); }),
                HasSubstr("--rate: there is no line"));
  }
  EXPECT_NEAR(to_mpps(parse_rate("10gbpsl1", "--rate"), 64, "--rate"), 14.88, 0.01);
}

TEST(bench_matrix, describes_a_case_by_what_is_not_usual) {
  parameters one;
  EXPECT_EQ(describe(one), "cpu, burst 32, 64 B, 1 pipeline");
  one = {.executor = kernel,
         .where = placement::device,
         .pipelines = 2,
         .packet_time = 500ns,
         .workers = arrangement::pair,
         .offered_mpps = 1};
  EXPECT_EQ(describe(one),
            "kernel, burst 32, 64 B, 2 pipelines, device memory, 500 ns a packet, pair, 1.00 Mpps offered");
}

}  // namespace
}  // namespace packetwarp::bench::matrix_tests
