// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "cli/call.h"
#include "cli/l2fwd/options.h"

namespace packetwarp {
namespace {

// Words, and the one line that refuses them: all of it, or the part before a grammar that base/units owns.
struct refused {
  std::vector<std::string> words;
  std::string line;
  friend void PrintTo(refused const& given, std::ostream* out) { *out << given.line; }
};

class l2fwd_option_error : public testing::TestWithParam<refused> {};

TEST_P(l2fwd_option_error, is_one_line_that_names_the_option_and_what_is_allowed) {
  try {
    (void)parse_l2fwd_options(test::l2fwd_call(GetParam().words));
    ADD_FAILURE() << "accepted";
  } catch (usage_error const& wrong) {
    std::string const line{wrong.what()};
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_THAT(line, testing::StartsWith(GetParam().line));
    bool const is_whole = line.size() == GetParam().line.size();
    EXPECT_TRUE(is_whole || GetParam().line.ends_with("; expected")) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(
    of_range, l2fwd_option_error,
    testing::Values(refused{{"-b", "0"}, "-b: 0 is out of range; allowed are 1 to 8192"},
                    refused{{"--burst=8193"}, "-b: 8193 is out of range; allowed are 1 to 8192"},
                    refused{{"-d", "127"}, "-d: 127 is out of range; allowed are 128 to 65407 bytes"},
                    refused{{"-d", "64k"}, "-d: 64k is out of range; allowed are 128 to 65407 bytes"},
                    refused{{"-p", "0"}, "-p: 0 is out of range; allowed are 1 to 1024"},
                    refused{{"-p", "1025"}, "-p: 1025 is out of range; allowed are 1 to 1024"},
                    refused{{"--rxd", "0"}, "--rxd: 0 is out of range; allowed are 1 to 32768"},
                    refused{{"--txd", "32769"}, "--txd: 32769 is out of range; allowed are 1 to 32768"},
                    refused{{"--mbcache", "513"}, "--mbcache: 513 is out of range; allowed are 0 to 512"},
                    refused{{"--total-num-mbufs", "0"},
                            "--total-num-mbufs: 0 is out of range; allowed are 1 to 1073741824"},
                    refused{{"--mtu", "67"}, "--mtu: 67 is out of range; allowed are 68 to 65535"},
                    refused{{"--mtu", "65536"}, "--mtu: 65536 is out of range; allowed are 68 to 65535"},
                    refused{{"--workers", "isolated-rx", "--isolated-ring", "63"},
                            "--isolated-ring: 63 is out of range; allowed are 64 to 1073741824"}));

INSTANTIATE_TEST_SUITE_P(
    of_form, l2fwd_option_error,
    testing::Values(refused{{"-b", "many"}, "-b: 'many' is not a number; expected"},
                    refused{{"-b", ""}, "-b: '' is empty; expected"},
                    refused{{"--function", "router"}, "--function: 'router' is not one of forward, swap_payload"},
                    refused{{"-b=-1"}, "-b: '=-1' is not a number; expected"},
                    refused{{"-b", "1.5"}, "-b: '1.5' is not a whole number of things; expected"},
                    refused{{"-v", "1.5"}, "-v: '1.5' is not a whole number of things; expected"},
                    refused{{"-z", "soon"}, "-z: 'soon' is not a number; expected"},
                    refused{{"-d", "2q"}, "-d: '2q' has no such unit; expected"},
                    refused{{"-t", "5 parsecs"}, "-t: '5 parsecs' has no such unit; expected"},
                    refused{{"--burst-timeout", "20"}, "--burst-timeout: '20' has no unit; expected"},
                    refused{{"--tx-timeout", "x"}, "--tx-timeout: 'x' is not a number; expected"},
                    refused{{"--until-idle", "1"}, "--until-idle: '1' has no unit; expected"},
                    refused{{"--duration", "1"}, "--duration: '1' has no unit; expected"},
                    refused{{"--report-age", "2h"}, "--report-age: '2h' is not between 1ms and 1m"},
                    refused{{"--stats-period", "1"}, "--stats-period: '1' has no unit; expected"},
                    refused{
                        {"--metrics", "localhost:1"},
                        "--metrics: 'localhost:1' is not [ADDRESS:]PORT, such as 9464, 0.0.0.0:9464 or [::1]:9464"}));

INSTANTIATE_TEST_SUITE_P(
    of_words, l2fwd_option_error,
    testing::Values(
        refused{{"-w", "fpga"}, "-w: 'fpga' is not one of none, cpu, kernel, persistent, graph, 0, 1, 2, 3, 4"},
        refused{{"-w", "CPU"}, "-w: 'CPU' is not one of none, cpu, kernel, persistent, graph, 0, 1, 2, 3, 4"},
        refused{{"-m", "2"}, "-m: '2' is not one of host, device, 0, 1"},
        refused{{"--workers", "all"},
                "--workers: 'all' is not one of run-to-completion, pair, pair-cpu, isolated-rx"}));

refused replay_case(std::string const& text) {
  return {{"--replay", text}, "--replay: '" + text + "' is not PORT=CAPTURE, such as 0=flows.pcap"};
}

INSTANTIATE_TEST_SUITE_P(
    of_replays, l2fwd_option_error,
    testing::Values(
        replay_case("flows.pcap"), replay_case("0="), replay_case("=flows.pcap"),
        refused{{"--replay", "0=a.pcap", "--replay", "0=b.pcap"}, "--replay: port '0' is given twice"},
        refused{{"--replay", "0=a.pcap", "b.pcap"}, "b.pcap: no such option; 'packetwarp l2fwd --help' lists them"},
        refused{{"-w", "none", "-m", "device", "--replay", "0=a.pcap"},
                "--replay: the CPU writes the frames over packets, and with placement device it cannot; use host"},
        refused{{"-w", "kernel", "-s", "--replay", "0=a.pcap"},
                "--replay: the CPU writes the frames over packets, and with placement split it cannot; use host"}));

std::string wrong_map(std::string const& text, int column) {
  return "--portmap: '" + text + "' is wrong at column " + std::to_string(column) +
         "; expected pairs of ports such as \"(0,1)(2,3)\"";
}
refused map_case(std::string const& text, int column) { return {{"--portmap", text}, wrong_map(text, column)}; }

INSTANTIATE_TEST_SUITE_P(of_port_maps, l2fwd_option_error,
                         testing::Values(map_case("", 1), map_case("0,1", 1), map_case("(0", 3), map_case("(0,", 4),
                                         map_case("(0,1", 5), map_case("(0,1)x", 6), map_case("(0,1)(", 7),
                                         map_case("(a,1)", 2), map_case("(-1,1)", 2), map_case("(0, 1)", 4),
                                         map_case("(65536,1)", 2)));

std::string no_use(std::string const& option, std::string const& workload, std::string const& goes_with) {
  return option + ": -w " + workload + " has no use for it; it goes with " + goes_with;
}
constexpr auto any_gpu = "-w kernel, persistent or graph";

INSTANTIATE_TEST_SUITE_P(
    of_gpus, l2fwd_option_error,
    testing::Values(
        refused{{"-w", "kernel", "-g", ""}, "-g: '' is not a list of GPU numbers such as 0 or 0,1"},
        refused{{"-w", "kernel", "-g", "0,"}, "-g: '0,' is not a list of GPU numbers such as 0 or 0,1"},
        refused{{"-w", "kernel", "-g", "0 1"}, "-g: '0 1' is not a list of GPU numbers such as 0 or 0,1"},
        refused{{"-w", "kernel", "-g=-1"}, "-g: '=-1' is not a list of GPU numbers such as 0 or 0,1"},
        refused{{"-w", "kernel", "-g", "H200"}, "-g: 'H200' is not a list of GPU numbers such as 0 or 0,1"},
        refused{{"-w", "kernel", "-g", "0,1,0"}, "-g: GPU 0 is listed twice"},
        refused{{"-w", "kernel", "--gpu-timeout", "100"}, "--gpu-timeout: '100' has no unit; expected"},
        refused{{"-w", "kernel", "--gpu-timeout", "0"}, "--gpu-timeout: 0 is out of range; allowed are 1ms to 1h"},
        refused{{"-w", "kernel", "--gpu-timeout", "999us"},
                "--gpu-timeout: 999us is out of range; allowed are 1ms to 1h"},
        refused{{"-w", "kernel", "--gpu-timeout", "61m"}, "--gpu-timeout: 61m is out of range; allowed are 1ms to 1h"},
        refused{{"-w", "persistent", "--gpu-blocks", "0"}, "--gpu-blocks: 0 is out of range; allowed are 1 to 64"},
        refused{{"-w", "persistent", "--gpu-blocks", "65"}, "--gpu-blocks: 65 is out of range; allowed are 1 to 64"},
        refused{{"--ring-slots", "0"}, "--ring-slots: 0 is out of range; allowed are 1 to 4096"},
        refused{{"--ring-slots", "8192"}, "--ring-slots: 8192 is out of range; allowed are 1 to 4096"},
        refused{{"--ring-slots", "12"}, "--ring-slots: 12 is not a power of two"},
        refused{{"-w", "kernel", "--inject-gpu-fault", "fire"},
                "--inject-gpu-fault: 'fire' is not one of error, stall, lost, memory, busy"},
        refused{{"-w", "kernel", "--inject-gpu-fault", "stall@soon"},
                "--inject-gpu-fault: 'soon' is not a number; expected"}));

INSTANTIATE_TEST_SUITE_P(
    of_what_an_executor_has_no_use_for, l2fwd_option_error,
    testing::Values(
        refused{{"-g", "0"}, no_use("-g", "cpu", any_gpu)},
        refused{{"-w", "none", "-g", "0"}, no_use("-g", "none", any_gpu)},
        refused{{"-n"}, no_use("-n", "cpu", any_gpu)},
        refused{{"--gpu-timeout", "1s"}, no_use("--gpu-timeout", "cpu", any_gpu)},
        refused{{"--inject-gpu-fault", "stall"}, no_use("--inject-gpu-fault", "cpu", any_gpu)},
        refused{{"--gpu-blocks", "2"}, no_use("--gpu-blocks", "cpu", "-w persistent or graph")},
        refused{{"-w", "kernel", "--gpu-blocks", "2"}, no_use("--gpu-blocks", "kernel", "-w persistent or graph")},
        refused{{"--launch-per-burst"}, no_use("--launch-per-burst", "cpu", "-w kernel")},
        refused{{"-w", "persistent", "--launch-per-burst"}, no_use("--launch-per-burst", "persistent", "-w kernel")}));

INSTANTIATE_TEST_SUITE_P(
    of_combination, l2fwd_option_error,
    testing::Values(refused{{"-w", "none", "-t", "5"},
                            "-t: workload none does no work per packet to take time for; use -w cpu"},
                    refused{{"--isolated-ring", "64"},
                            "--isolated-ring: workers run-to-completion have no such ring; use --workers isolated-rx"},
                    refused{{"--workers", "pair", "--isolated-ring", "64"},
                            "--isolated-ring: workers pair have no such ring; use --workers isolated-rx"}));

}  // namespace
}  // namespace packetwarp
