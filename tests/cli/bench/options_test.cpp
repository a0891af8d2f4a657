// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/eal_options.h"
#include "traffic/usage_text.h"

namespace packetwarp::bench::options_tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;
using enum executor_kind;

options parse(std::vector<std::string> words, std::vector<std::string> eal = {}) {
  return parse_options({.program = "packetwarp",
                        .command = "bench",
                        .eal = std::move(eal),
                        .options = std::move(words),
                        .wants_help = {}},
                       {0, 1, 2, 3});
}
std::string refusal(std::vector<std::string> words, std::vector<std::string> eal = {}) {
  return packetwarp::test::usage_text([&] { (void)parse(words, eal); });
}

TEST(bench_options, without_any_measure_every_executor_with_small_packets) {
  auto const given = parse({});
  EXPECT_EQ(given.what, task::measure);
  EXPECT_THAT(given.cases.executors, ElementsAre(none, cpu, kernel, persistent, graph));
  EXPECT_THAT(given.cases.bursts, ElementsAre(16, 32, 64, 128));
  EXPECT_THAT(given.cases.frame_bytes, ElementsAre(64));
  EXPECT_THAT(given.cases.pipelines, ElementsAre(3));
  EXPECT_EQ(given.run_time, 2s);
  EXPECT_EQ(given.repeats, 3U);
  EXPECT_EQ(given.testpmd, "dpdk-testpmd");
  EXPECT_THAT(given.eal, ElementsAre("--in-memory", "--no-pci"));
  EXPECT_THAT(given.cpus, ElementsAre(0, 1, 2, 3));
}

TEST(bench_options, are_lists) {
  auto const given =
      parse({"--executors", "cpu,graph", "--placements", "device,split", "--bursts", "8,1k", "--sizes", "64,1518",
             "--pipelines", "1,2", "--work", "0,500ns", "--workers", "pair,isolated-rx", "--rate", "1mpps,1gbps"});
  EXPECT_THAT(given.cases.executors, ElementsAre(cpu, graph));
  EXPECT_THAT(given.cases.placements, ElementsAre(placement::device, placement::split));
  EXPECT_THAT(given.cases.bursts, ElementsAre(8, 1000));
  EXPECT_THAT(given.cases.frame_bytes, ElementsAre(64, 1518));
  EXPECT_THAT(given.cases.pipelines, ElementsAre(1, 2));
  EXPECT_THAT(given.cases.packet_times, ElementsAre(0ns, 500ns));
  EXPECT_THAT(given.cases.workers, ElementsAre(arrangement::pair, arrangement::isolated_rx));
  EXPECT_EQ(given.cases.offered.size(), 2U);
}

TEST(bench_options, take_seconds_bare_or_with_a_unit) {
  EXPECT_EQ(parse({"--seconds", "0.2"}).run_time, 200ms);
  EXPECT_EQ(parse({"--seconds", "3"}).run_time, 3s);
  EXPECT_EQ(parse({"--seconds", "250ms"}).run_time, 250ms);
  EXPECT_THAT(refusal({"--seconds", "0"}), HasSubstr("--seconds: 0 is out of range"));
}

TEST(bench_options, of_advice_are_about_one_question) {
  auto const given = parse({"--advise", "--rate", "10mpps", "--size", "512", "--work", "500ns", "--latency", "30us"});
  EXPECT_EQ(given.what, task::advise);
  EXPECT_DOUBLE_EQ(given.wanted.mpps, 10);
  EXPECT_EQ(given.wanted.frame_bytes, 512U);
  EXPECT_EQ(given.wanted.packet_time, 500ns);
  EXPECT_EQ(given.wanted.latency_limit, 30us);
  EXPECT_THAT(given.cases.frame_bytes, ElementsAre(512));
  EXPECT_THAT(given.cases.pipelines, ElementsAre(1, 2, 3));
  EXPECT_THAT(given.testpmd, IsEmpty());
}

TEST(bench_options, convert_a_rate_in_bits_by_the_size) {
  EXPECT_DOUBLE_EQ(parse({"--advise", "--rate", "1.024gbps", "--size", "128"}).wanted.mpps, 1);
}

TEST(bench_options, are_refused_with_a_line_that_names_the_option) {
  EXPECT_THAT(refusal({"--bursts", "0"}), HasSubstr("--bursts: 0 is out of range; allowed are 1 to 8192"));
  EXPECT_THAT(refusal({"--bursts", "16,,32"}), HasSubstr("--bursts: '' is empty"));
  EXPECT_THAT(refusal({"--bursts", "16,16"}), HasSubstr("'16' is there twice"));
  EXPECT_THAT(refusal({"--sizes", "63"}), HasSubstr("--sizes: 63 is out of range; allowed are 64 to 9600"));
  EXPECT_THAT(refusal({"--executors", "abacus"}), HasSubstr("'abacus' is not one of none, cpu, kernel"));
  EXPECT_THAT(refusal({"--placements", "cloud"}), HasSubstr("host, device, split"));
  EXPECT_THAT(refusal({"--functions", "chess"}), HasSubstr("--functions: 'chess'"));
  EXPECT_THAT(refusal({"--pipelines", "33"}), HasSubstr("1 to 32"));
  EXPECT_THAT(refusal({"--rate", "50%"}), HasSubstr("there is no line"));
  EXPECT_THAT(refusal({"--work", "5"}), HasSubstr("--work: '5' has no unit"));
  EXPECT_THAT(refusal({"--fly"}), HasSubstr("--fly: no such option"));
}

TEST(bench_options, are_refused_where_they_contradict_each_other) {
  EXPECT_THAT(refusal({"--resume", "x", "--bursts", "1"}), HasSubstr("--bursts: --resume takes what is measured"));
  EXPECT_THAT(refusal({"--resume", "x"}, {"-l", "0"}), HasSubstr("EAL options: --resume"));
  EXPECT_THAT(refusal({"--from", "x"}), HasSubstr("--from: is about advice"));
  EXPECT_THAT(refusal({"--advise"}), HasSubstr("--rate: advice is about one rate"));
  EXPECT_THAT(refusal({"--advise", "--rate", "1mpps,2mpps"}), HasSubstr("--rate: advice is about one rate"));
  EXPECT_THAT(refusal({"--advise", "--rate", "1mpps", "--sizes", "64"}), HasSubstr("give it as --size"));
  EXPECT_THAT(refusal({"--advise", "--rate", "1mpps", "--from", "x", "--repeats", "2"}),
              HasSubstr("--repeats: --from"));
  EXPECT_THAT(refusal({"--advise", "--rate", "1mpps", "--json", "-"}), HasSubstr("--json: standard output"));
}

TEST(bench_options, refuse_files_for_the_results_of_a_list) {
  EXPECT_THAT(refusal({"--list", "--json", "x"}), HasSubstr("--json: --list prints and writes no results; leave it"));
  EXPECT_THAT(refusal({"--list", "--csv", "-"}), HasSubstr("--csv: --list prints and writes no results; leave it"));
}

TEST(bench_options, say_how_throughput_is_searched) {
  auto const usual = parse({"--ndr"});
  EXPECT_EQ(usual.what, task::throughput);
  EXPECT_DOUBLE_EQ(usual.throughput.partial_drop_percent, 0.5);
  EXPECT_EQ(usual.throughput.trial, 2s);
  EXPECT_FALSE(usual.throughput.line);
  auto const given = parse({"--ndr", "--pdr", "1%", "--trial", "60s", "--resolution", "0.1", "--line", "10gbpsl1"});
  EXPECT_DOUBLE_EQ(given.throughput.partial_drop_percent, 1);
  EXPECT_EQ(given.throughput.trial, 60s);
  EXPECT_DOUBLE_EQ(given.throughput.resolution_percent, 0.1);
  EXPECT_EQ(given.throughput.line, (rate{10e9, rate::unit::l1_bits_per_second}));
}

TEST(bench_options, refuse_what_a_search_for_throughput_settles) {
  EXPECT_THAT(refusal({"--pdr", "1"}), HasSubstr("--pdr: is about the search for throughput; give --ndr, too"));
  EXPECT_THAT(refusal({"--ndr", "--pdr", "51"}), HasSubstr("no percentage from 0 to 50"));
  EXPECT_THAT(refusal({"--ndr", "--resolution", "0"}), HasSubstr("no percentage from 0.01 to 50"));
  EXPECT_THAT(refusal({"--ndr", "--resolution", "x"}), HasSubstr("--resolution: 'x'"));
  EXPECT_THAT(refusal({"--ndr", "--trial", "1ms"}), HasSubstr("allowed are 50ms to 1h"));
  EXPECT_THAT(refusal({"--ndr", "--line", "50%"}), HasSubstr("--line: there is no line"));
  for (std::string const word : {"--rate", "--seconds", "--repeats", "--testpmd", "--resume"}) {
    EXPECT_THAT(refusal({"--ndr", word, "1"}), HasSubstr(word + ": --")) << word;
  }
  EXPECT_THAT(refusal({"--ndr", "--list"}), HasSubstr("--list: --ndr"));
}

TEST(bench_eal_options, are_given_to_every_run_but_for_the_cpus) {
  auto const given = parse({}, {"-l", "1-2,0", "--socket-mem=64"});
  EXPECT_THAT(given.cpus, ElementsAre(1, 2, 0));
  EXPECT_THAT(given.eal, ElementsAre("--socket-mem=64", "--in-memory", "--no-pci"));
  EXPECT_THAT(parse({}, {"-l3"}).cpus, ElementsAre(3));
  EXPECT_THAT(parse({}, {"--no-huge", "--no-pci"}).eal, ElementsAre("--no-huge", "--no-pci"));
}

TEST(bench_eal_options, are_refused_where_they_are_for_bench_to_give) {
  EXPECT_THAT(refusal({}, {"-l", "0-9"}), HasSubstr("CPU 4 is not one that this process may use; allowed are 0,1,2,3"));
  EXPECT_THAT(refusal({}, {"-l", "0-"}), HasSubstr("wrong at column 3"));
  EXPECT_THAT(refusal({}, {"-l", "2-1"}), HasSubstr("wrong before column 4"));
  EXPECT_THAT(refusal({}, {"-l", "1;2"}), HasSubstr("wrong before column 2"));
  EXPECT_THAT(refusal({}, {"-l"}), HasSubstr("-l: needs CPUs"));
  EXPECT_THAT(refusal({}, {"--lcores=0@1"}), HasSubstr("bench chooses each run's lcores"));
  EXPECT_THAT(refusal({}, {"--vdev=net_null0"}), HasSubstr("bench makes its own ports"));
  EXPECT_THAT(refusal({}, {"-a0000:b5:00.0"}), HasSubstr("bench makes its own ports"));
}

}  // namespace
}  // namespace packetwarp::bench::options_tests
