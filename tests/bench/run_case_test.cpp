// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/run_case.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/testpmd.h"
#include "cli/generate/options.h"
#include "cli/l2fwd/options.h"

namespace packetwarp::bench::run_case_tests {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using namespace std::chrono_literals;
using enum executor_kind;
using json = nlohmann::json;

json report() {
  return {{"executor", "cpu"},
          {"placement", "host"},
          {"ended_by", "duration"},
          {"mpps", 5.0},
          {"gbps_l1", 3.0},
          {"gbps_l2", 2.0},
          {"packets", {{"rx", 10}, {"tx", 6}, {"punted", 1}, {"in_flight", 1}, {"dropped", {{"a", 1}, {"b", 1}}}}},
          {"latency_us", {{"p50", 1.0}, {"p99", 2.0}, {"p999", 3.0}}},
          {"host", {{"cpus", 4}}},
          {"notices", {"a notice"}}};
}

TEST(bench_report, of_a_good_run_gives_its_figures) {
  auto const made = judge_forwarding({}, report().dump());
  EXPECT_EQ(made.status, case_status::ok) << made.reason;
  EXPECT_EQ(made.measured.mpps, 5);
  EXPECT_EQ(made.measured.latency_us->p99, 2);
  EXPECT_EQ(made.host["cpus"], 4);
  EXPECT_THAT(made.notices, testing::ElementsAre("a notice"));
}

TEST(bench_report, that_does_not_add_up_is_a_failed_run) {
  auto const reason = [](auto change) {
    auto said = report();
    change(said);
    auto const made = judge_forwarding({}, said.dump());
    return made.status == case_status::failed ? made.reason : "";
  };
  EXPECT_THAT(reason([](auto& r) { r["packets"]["rx"] = 11; }),
              HasSubstr("11 packets came in and 10 are accounted for"));
  EXPECT_THAT(reason([](auto& r) { r["executor"] = "none"; }), HasSubstr("it ran with executor none and not cpu"));
  EXPECT_THAT(reason([](auto& r) { r["placement"] = "device"; }), HasSubstr("placement device and not host"));
  EXPECT_THAT(reason([](auto& r) { r["ended_by"] = "signal"; }), HasSubstr("ended by signal"));
  EXPECT_THAT(reason([](auto& r) { r["mpps"] = 0; }), HasSubstr("nothing was sent"));
  EXPECT_THAT(reason([](auto& r) { r.erase("host"); }), HasSubstr("cannot be read"));
  EXPECT_EQ(judge_forwarding({}, "half a rep").status, case_status::failed);
}

TEST(bench_report, of_generated_traffic_must_be_flawless) {
  json said{{"flawless", true},
            {"ended_by", "duration"},
            {"sent", {{"packets", 7}}},
            {"received", {{"mpps", 1.0}, {"gbps_l1", 0.6}, {"gbps_l2", 0.5}}},
            {"latency_us", {{"p50", 1.0}, {"p99", 2.0}, {"p999", 3.0}}},
            {"lost", 2},
            {"duplicates", 0},
            {"reordered", 0},
            {"corrupted", 0}};
  EXPECT_EQ(judge_generated({}, said.dump()).status, case_status::ok);
  EXPECT_EQ(judge_generated({}, said.dump()).measured.latency_us->p999, 3);
  said["flawless"] = false;
  EXPECT_THAT(judge_generated({}, said.dump()).reason, HasSubstr("of 7 packets sent 2 were lost"));
}

TEST(bench_refusal, is_unsupported_where_it_was_asked_for_what_cannot_be) {
  auto const made = judge_refusal(2, "exit status 2", "EAL: noise\npacketwarp: error: -w graph: no GPU\n");
  EXPECT_EQ(made.status, case_status::unsupported);
  EXPECT_EQ(made.reason, "-w graph: no GPU");
}

TEST(bench_refusal, is_a_failure_otherwise) {
  auto const made = judge_refusal(1, "exit status 1", "packetwarp: error: no memory\nEAL: bye\n");
  EXPECT_EQ(made.status, case_status::failed);
  EXPECT_EQ(made.reason, "exit status 1: no memory");
  EXPECT_EQ(judge_refusal(-1, "killed by signal 9", "").reason, "killed by signal 9: it said nothing");
  EXPECT_EQ(last_words("one\ntwo\n\n"), "two");
}

class bench_commands : public testing::Test {
 protected:
  run_setup setup_{.eal = {"--no-pci"}, .cpus = {4, 5, 6}, .run_time = 1500ms, .testpmd = "testpmd"};
  // A command line of ours, taken apart as main does.
  [[nodiscard]] invocation call(parameters const& what) const {
    auto const words = command_of(what, setup_);
    std::vector<char const*> argv;
    for (auto const& word : words) argv.push_back(word.c_str());
    return split_command_line(argv);
  }
};

TEST_F(bench_commands, say_to_l2fwd_what_the_case_says) {
  parameters const what{.executor = cpu,
                        .burst = 64,
                        .frame_bytes = 128,
                        .pipelines = 2,
                        .lcores = 2,
                        .packet_time = 1500ns,
                        .workers = arrangement::pair};
  auto const made = call(what);
  EXPECT_EQ(made.command, "l2fwd");
  EXPECT_THAT(made.eal, IsSupersetOf({"4,5", "--no-pci", "--vdev=net_null0,copy=0,size=124",
                                      "--vdev=net_null1,copy=0,size=124"}));
  auto const options = parse_l2fwd_options(made);
  EXPECT_EQ(options.plane.executor, cpu);
  EXPECT_EQ(options.plane.burst, 64U);
  EXPECT_EQ(options.plane.pipelines, 2);
  EXPECT_EQ(options.plane.packet_time, 1500ns);
  EXPECT_EQ(options.plane.workers, arrangement::pair);
  EXPECT_EQ(options.limits.duration, 1500ms);
  EXPECT_EQ(options.json, "-");
}

TEST_F(bench_commands, make_room_for_long_frames_and_warm_up_in_part_of_the_run) {
  auto const options = parse_l2fwd_options(call({.frame_bytes = 9000, .packet_time = 1ms}));
  EXPECT_EQ(options.plane.data_room, 9000U);
  EXPECT_EQ(options.limits.warmup, 150U);
}

TEST_F(bench_commands, offer_a_rate_in_all_to_a_data_plane_between) {
  auto const one = parse_generate_options(call({.executor = none, .pipelines = 1, .offered_mpps = 3}));
  ASSERT_TRUE(one.through);
  EXPECT_EQ(one.through->executor, none);
  EXPECT_EQ(one.exchange.how_fast, (rate{3e6, rate::unit::packets_per_second}));
  auto const two = parse_generate_options(call({.pipelines = 4, .offered_mpps = 3}));
  EXPECT_EQ(two.exchange.how_fast, (rate{1.5e6, rate::unit::packets_per_second}));
  EXPECT_EQ(two.exchange.duration, 1500ms);
}

TEST_F(bench_commands, name_a_split_as_l2fwd_does) {
  EXPECT_EQ(plane_words({.executor = graph, .where = placement::split}),
            "-w graph -s -b 32 -p 1 --workers run-to-completion");
}

TEST_F(bench_commands, give_testpmd_the_same_ports_and_a_core_for_each) {
  auto const words = command_of(peer_parameters{testpmd_mode::macswap, 64, 64, 2, 3}, setup_);
  EXPECT_THAT(words, IsSupersetOf({"stdbuf", "testpmd", "4,5,6", "--vdev=net_null1,copy=0,size=60", "--burst=64",
                                   "--forward-mode=macswap", "--nb-cores=2"}));
}

TEST_F(bench_commands, are_shown_as_a_shell_takes_them) {
  EXPECT_EQ(joined({"a", "-l", "0,1", "two words", "it's", ""}), "a -l 0,1 'two words' 'it'\\''s' ''");
}

TEST_F(bench_commands, have_testpmd_do_without_hugepages_where_there_are_none) {
  peer_parameters const what{testpmd_mode::macswap, 64, 64, 2, 3};
  EXPECT_THAT(command_of(what, setup_), Not(Contains("--no-huge")));
  setup_.eal = {"--no-pci", "--in-memory"};
  setup_.machine = {.has_free_hugepages = false, .has_hugetlbfs_mount = false};
  auto const words = command_of(what, setup_);
  EXPECT_THAT(words, IsSupersetOf({"--no-pci", "--no-huge", "-m", "2048"}));
  EXPECT_THAT(words, Not(Contains("--in-memory")));
  EXPECT_LT(std::find(words.begin(), words.end(), "--no-huge"), std::find(words.begin(), words.end(), "--"));
}

TEST(bench_testpmd, must_have_started_as_it_was_asked_to) {
  peer_parameters const what{testpmd_mode::io, 64, 64, 2, 3};
  EXPECT_TRUE(is_start_of("io packet forwarding - ports=2 - cores=2 - streams=2 - NUMA", what));
  EXPECT_FALSE(is_start_of("io packet forwarding - ports=2 - cores=1 - streams=2 - NUMA", what));
  EXPECT_FALSE(is_start_of("mac packet forwarding - ports=2 - cores=2 - streams=2 - NUMA", what));
}

TEST(bench_testpmd, is_read_at_the_second_show_of_every_port) {
  auto const show = [](int a, int b) { return fmt::format("  Tx-pps:     {}    Tx-bps: 0\n Tx-pps: {}\n", a, b); };
  EXPECT_EQ(sent_mpps(show(1, 2) + show(1'000'000, 2'000'000), 2), 3);
  EXPECT_EQ(sent_mpps(show(1, 2), 2), std::nullopt);
  EXPECT_EQ(sent_mpps("Tx-pps: x Tx-pps: 1", 1), std::nullopt);
  EXPECT_EQ(sent_mpps("Tx-pps:", 1), std::nullopt);
}

TEST(bench_testpmd, is_looked_up_on_the_path) {
  EXPECT_NE(find_program("sh"), "");
  EXPECT_EQ(find_program("no-such-program-at-all"), "");
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_program("/etc/passwd"), "");
}

}  // namespace
}  // namespace packetwarp::bench::run_case_tests
