// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "base/process/stop.h"
#include "bench/child_process.h"
#include "bench/sample.h"

namespace packetwarp::bench::measure_tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using enum executor_kind;
using kind = step::kind;
using pause = child_process::pause;

results sample() {
  auto all =
      test::results_of({{.what = {.executor = none}}, {.what = {.executor = cpu}}, {.what = {.executor = kernel}}});
  all.repeats = 2;
  all.peers = {{.what = {.mode = testpmd_mode::io}}, {.what = {.mode = testpmd_mode::macswap}}};
  return all;
}
attempt good() { return {.status = case_status::ok, .measured = {.mpps = 1}}; }

TEST(bench_steps, take_turns_with_testpmd_before_what_it_stands_beside) {
  step const io{kind::testpmd, 0}, macswap{kind::testpmd, 1}, n{kind::own, 0}, c{kind::own, 1}, k{kind::own, 2};
  EXPECT_THAT(missing_steps(sample()), ElementsAre(io, n, macswap, c, k, io, n, macswap, c, k));
}

TEST(bench_steps, are_those_that_are_missing) {
  auto all = sample();
  all.peers.clear();
  add_attempt(all, {kind::own, 0}, good());
  add_attempt(all, {kind::own, 1}, {.status = case_status::failed, .reason = "it broke"});
  add_attempt(all, {kind::own, 2}, {.status = case_status::unsupported, .reason = "no GPU"});
  EXPECT_THAT(missing_steps(all), ElementsAre(step{kind::own, 0}));
  add_attempt(all, {kind::own, 0}, good());
  EXPECT_EQ(all.cases[0].status, case_status::ok);
  EXPECT_THAT(missing_steps(all), IsEmpty());
}

TEST(bench_steps, hold_again_what_failed_when_a_file_is_gone_on_with) {
  auto all = sample();
  all.peers.clear();
  add_attempt(all, {kind::own, 0}, good());
  add_attempt(all, {kind::own, 0}, good());
  add_attempt(all, {kind::own, 1}, good());
  add_attempt(all, {kind::own, 1}, {.status = case_status::failed, .reason = "it broke"});
  make_pending(all);
  EXPECT_THAT(missing_steps(all), ElementsAre(step{kind::own, 2}, step{kind::own, 1}, step{kind::own, 2}));
  EXPECT_EQ(all.cases[1].reason, "");
}

TEST(bench_steps, keep_what_a_run_says_of_its_host_and_each_notice_once) {
  auto all = sample();
  auto made = good();
  made.host = {{"tsc_hz", 5}};
  made.notices = {"a", "b", "a"};
  add_attempt(all, {kind::own, 0}, made);
  add_attempt(all, {kind::own, 1}, good());
  EXPECT_EQ(all.host["tsc_hz"], 5);
  EXPECT_THAT(all.notices, ElementsAre("a", "b"));
}

TEST(bench_steps, have_a_time_that_people_can_read) {
  auto all = sample();
  EXPECT_DOUBLE_EQ(seconds_of(missing_steps(all), all, 1), 10 * 3 + 4 * 0.5);
  EXPECT_EQ(describe_seconds(0.2), "1 s");
  EXPECT_EQ(describe_seconds(89), "89 s");
  EXPECT_EQ(describe_seconds(100), "2 min");
  EXPECT_EQ(describe_seconds(3900), "1 h 5 min");
}

child_process::clock::time_point in_a_minute() { return child_process::clock::now() + std::chrono::minutes{1}; }
std::vector<std::string> shell(std::string script) { return {"sh", "-c", std::move(script)}; }

// A process that has ended does not count, whether it was collected or not.
bool is_alive(pid_t pid) {
  std::ifstream stat{"/proc/" + std::to_string(pid) + "/stat"};
  std::string number, name, state;
  return stat >> number >> name >> state && state != "Z" && state != "X";
}

TEST(bench_child, is_heard_on_both_ears_and_ends_with_its_status) {
  child_process child{"sh", shell("echo out; echo err >&2; exit 7")};
  EXPECT_EQ(child.wait_for_end(in_a_minute()), pause::ended);
  auto const end = child.collect();
  EXPECT_EQ(child.output(), "out\n");
  EXPECT_EQ(child.errors(), "err\n");
  EXPECT_EQ(end.status, 7);
  EXPECT_EQ(end.words, "exit status 7");
}

TEST(bench_child, that_is_killed_says_so) {
  child_process child{"sh", shell("kill -9 $$")};
  EXPECT_EQ(child.wait_for_end(in_a_minute()), pause::ended);
  EXPECT_EQ(child.collect().words, "killed by signal 9");
}

TEST(bench_child, can_be_talked_to) {
  child_process child{"cat", {"cat"}};
  ASSERT_TRUE(child.say("hello"));
  EXPECT_EQ(child.wait_until([&] { return child.output() == "hello\n"; }, in_a_minute()), pause::satisfied);
}

TEST(bench_child, that_has_gone_does_not_take_us_with_it) {
  child_process child{"true", {"true"}};
  EXPECT_EQ(child.wait_for_end(in_a_minute()), pause::ended);
  EXPECT_EQ(child.collect().status, 0);
  EXPECT_FALSE(child.say("anyone?"));
}

TEST(bench_child, is_late_where_it_takes_longer_and_is_gone_with_its_group) {
  pid_t grandchild = 0;
  {
    child_process child{"sh", shell("sleep 600 & echo $!; wait")};
    ASSERT_EQ(child.wait_until([&] { return child.output().ends_with('\n'); }, in_a_minute()), pause::satisfied);
    grandchild = static_cast<pid_t>(std::stol(child.output()));
    EXPECT_EQ(child.wait_for_end(child_process::clock::now()), pause::late);
    EXPECT_EQ(::kill(grandchild, 0), 0);
  }
  // A signal takes its time to arrive; a child that no signal ended would sleep on.
  auto const limit = in_a_minute();
  while (is_alive(grandchild) && child_process::clock::now() < limit) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  EXPECT_FALSE(is_alive(grandchild));
}

TEST(bench_child, is_asked_to_end_when_we_are) {
  clear_stop_request();
  child_process child{"sh", shell("trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.1; done")};
  ASSERT_EQ(child.wait_until([&] { return child.output() == "up\n"; }, in_a_minute()), pause::satisfied);
  request_stop();
  EXPECT_EQ(child.wait_for_end(in_a_minute()), pause::stopped);
  child.stop();
  EXPECT_EQ(child.output(), "up\nbye\n");
  EXPECT_EQ(child.collect().status, 0);
  clear_stop_request();
}

TEST(bench_child, that_is_no_program_is_named) {
  EXPECT_THROW(child_process("/no/such/program", {"x"}), std::exception);
}

}  // namespace
}  // namespace packetwarp::bench::measure_tests
