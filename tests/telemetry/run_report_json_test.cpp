// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

#include "telemetry/sample_report.h"
#include "telemetry/some_part.h"

namespace packetwarp::telemetry {
namespace {

using json = nlohmann::ordered_json;

json parsed(run_report const& report) { return json::parse(to_json(report)); }

std::vector<std::string> keys_of(json const& object) {
  std::vector<std::string> keys;
  for (auto const& item : object.items()) keys.push_back(item.key());
  return keys;
}

using names = std::vector<std::string>;

TEST(run_report_json, has_exactly_these_names) {
  auto const j = parsed(sample_report());
  EXPECT_EQ(keys_of(j), (names{"command",   "version", "elapsed_seconds", "seconds",     "executor", "placement",
                               "burst",     "phase",   "ended_by",        "mpps",        "gbps_l1",  "gbps_l2",
                               "measured",  "packets", "latency_us",      "failed_over", "master",   "checked",
                               "pipelines", "workers", "ports",           "host",        "notices"}));
  EXPECT_EQ(keys_of(j["measured"]), (names{"rx", "tx"}));
  EXPECT_EQ(keys_of(j["packets"]), (names{"rx", "tx", "punted", "in_flight", "dropped"}));
  EXPECT_EQ(keys_of(j["latency_us"]), (names{"p50", "p99", "p999"}));
  EXPECT_EQ(keys_of(j["pipelines"][0]),
            (names{"id", "rx_port", "rx_queue", "tx_port", "tx_queue", "rx", "tx", "punted", "handed_over", "dropped",
                   "bursts", "mean_burst", "ring_full", "latency_us"}));
  EXPECT_EQ(keys_of(j["workers"][0]), (names{"lcore", "role", "jobs", "stages", "busy", "cycles_per_packet", "loops",
                                             "big_loops", "messages", "message_timeouts"}));
  EXPECT_EQ(keys_of(j["workers"][1]["stages"][0]),
            (names{"name", "calls", "packets", "cycles", "cycles_per_packet", "packets_per_call"}));
  EXPECT_EQ(keys_of(j["workers"][0]["big_loops"]),
            (names{"over_us", "count", "longest_us", "longest_at_seconds", "longest_job", "by_job"}));
  EXPECT_EQ(keys_of(j["master"]), (names{"big_loops"}));
  EXPECT_EQ(keys_of(j["ports"][0]),
            (names{"id", "name", "driver", "state", "rx_packets", "tx_packets", "rx_bytes", "tx_bytes", "imissed",
                   "ierrors", "oerrors", "rx_nombuf", "restarts", "rx_queues"}));
  EXPECT_EQ(keys_of(j["ports"][1]["rx_queues"][0]), (names{"queue", "packets", "missed"}));
  EXPECT_EQ(keys_of(j["host"]), (names{"cpu_model", "cpus", "numa_nodes", "memory_bytes", "hugepages", "kernel",
                                       "distribution", "dpdk", "compiler", "tsc_hz", "gpus"}));
  EXPECT_EQ(keys_of(j["host"]["hugepages"][0]), (names{"size_bytes", "total", "free"}));
}

TEST(run_report_json, says_of_the_run_what_the_struct_says) {
  auto const r = sample_report();
  auto const j = parsed(r);
  EXPECT_EQ(j["command"], "l2fwd");
  EXPECT_EQ(j["version"], "0.1.0");
  EXPECT_EQ(j["elapsed_seconds"], 2.5);
  EXPECT_EQ(j["seconds"], 0.0005);
  EXPECT_EQ(j["executor"], "cpu");
  EXPECT_EQ(j["placement"], "host");
  EXPECT_EQ(j["burst"], 32);
  EXPECT_EQ(j["ended_by"], "packets");
  EXPECT_EQ(j["mpps"], r.mpps());
  EXPECT_EQ(j["gbps_l1"], r.gbps_l1());
  EXPECT_EQ(j["gbps_l2"], r.gbps_l2());
  EXPECT_EQ(j["measured"], json({{"rx", 810}, {"tx", 800}}));
  EXPECT_EQ(j["packets"], json::parse(R"({"rx": 1000, "tx": 980, "punted": 3, "in_flight": 5,
                                          "dropped": {"tx_full": 0, "runt": 12}})"));
  EXPECT_EQ(j["latency_us"], json::parse(R"({"p50": 2.1, "p99": 9.75, "p999": 1234.0})"));
  EXPECT_EQ(j["notices"], json({"the TSC is not invariant"}));
}

TEST(run_report_json, says_of_each_part_what_the_struct_says) {
  auto const j = parsed(sample_report());
  ASSERT_EQ(j["pipelines"].size(), 2u);
  EXPECT_EQ(j["pipelines"][0], json::parse(R"({"id": 0, "rx_port": 0, "rx_queue": 0, "tx_port": 1, "tx_queue": 0,
      "rx": 1000, "tx": 980, "punted": 3, "handed_over": 0, "dropped": {"runt": 12}, "bursts": 50, "mean_burst": 20.0, "ring_full": 2,
      "latency_us": {"p50": 2.1, "p99": 9.75, "p999": 1234.0}})"));
  ASSERT_EQ(j["workers"].size(), 2u);
  EXPECT_EQ(j["workers"][1], json::parse(R"({"lcore": 1, "role": "forwarding",
      "jobs": ["receive 0", "execute 0", "transmit 0"], "stages": [
        {"name": "receive 0", "calls": 10, "packets": 200, "cycles": 5000, "cycles_per_packet": 25.0, "packets_per_call": 20.0},
        {"name": "execute 0", "calls": 8, "packets": 200, "cycles": 6000, "cycles_per_packet": 30.0, "packets_per_call": 25.0},
        {"name": "transmit 0", "calls": 0, "packets": 0, "cycles": 0, "cycles_per_packet": null, "packets_per_call": null}],
      "busy": 0.874, "cycles_per_packet": 61.25, "loops": 1234567, "big_loops": {"over_us": 100.0, "count": 3, "longest_us": 1200.0, "longest_at_seconds": 3.21,
      "longest_job": "execute 0", "by_job": {"execute 0": 2, "receive 0": 1}}, "messages": 30,
      "message_timeouts": 2})"));
  EXPECT_EQ(j["workers"][0]["big_loops"], json::parse(R"({"over_us": 0.0, "count": 0, "longest_us": null,
      "longest_at_seconds": null, "longest_job": null, "by_job": {}})"));
  EXPECT_EQ(j["master"]["big_loops"]["count"], 1);
  ASSERT_EQ(j["ports"].size(), 2u);
  EXPECT_EQ(j["ports"][1],
            json::parse(R"({"id": 1, "name": "0000:b5:00.0", "driver": "mlx5_pci", "state": "up", "rx_packets": 0,
      "tx_packets": 980, "rx_bytes": 0, "tx_bytes": 58800, "imissed": 1, "ierrors": 2, "oerrors": 3,
      "rx_nombuf": 4, "restarts": 5, "rx_queues": [{"queue": 0, "packets": 10, "missed": 0},
      {"queue": 1, "packets": 20, "missed": 1}]})"));
  EXPECT_EQ(j["failed_over"], 1);
  EXPECT_EQ(j["checked"], json::parse(R"({"packets": 1234, "wrong": 2})"));
  EXPECT_EQ(j["host"], json::parse(R"({"cpu_model": "A Processor", "cpus": 2, "numa_nodes": 1,
      "memory_bytes": 17179869184, "hugepages": [{"size_bytes": 2097152, "total": 512, "free": 500}],
      "kernel": "6.1.0", "distribution": "A Distribution 12", "dpdk": "DPDK 22.11.7", "compiler": "gcc 12.2.0",
      "tsc_hz": 2.5e9, "gpus": [{"index": 0, "name": "GPU X", "pci_address": "0000:1b:00.0", "cuda_driver": "13.0",
      "cuda_runtime": "12.9"}]})"));
}

TEST(run_report_json, has_null_for_what_is_unknown_and_0_for_a_burst_that_never_was) {
  auto const j = parsed(run_report{.pipelines = {{}}, .workers = {{}}});
  EXPECT_TRUE(j["latency_us"].is_null());
  EXPECT_TRUE(j["pipelines"][0]["latency_us"].is_null());
  EXPECT_EQ(j["pipelines"][0]["mean_burst"], 0.0);
  EXPECT_TRUE(j["workers"][0]["cycles_per_packet"].is_null());
  EXPECT_TRUE(j["host"]["cpus"].is_null());
  EXPECT_TRUE(j["host"]["tsc_hz"].is_null());
  EXPECT_EQ(j["packets"]["dropped"], json::object());
  EXPECT_EQ(j["ports"], json::array());
  EXPECT_EQ(j["notices"], json::array());
}

TEST(run_report_json, has_parts_of_modules_under_their_names) {
  run_report report;
  EXPECT_FALSE(parsed(report).contains("some"));
  report.parts = {std::make_shared<some_part>()};
  EXPECT_EQ(parsed(report)["some"], json::parse(R"({"things": 7})"));
}

TEST(run_report_json, has_no_end_while_the_run_goes_on) { EXPECT_TRUE(parsed(run_report{})["ended_by"].is_null()); }

TEST(run_report_json, fits_on_one_line) {
  auto const r = sample_report();
  auto const line = to_json(r, json_layout::one_line);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(json::parse(line), parsed(r));
}

TEST(run_report_json, has_no_number_that_json_does_not_know) {
  auto report = sample_report();
  report.seconds = 0;
  report.workers[1].busy = std::numeric_limits<double>::quiet_NaN();
  report.workers[1].cycles_per_packet = std::numeric_limits<double>::infinity();
  auto const j = parsed(report);  // a NaN would not parse
  EXPECT_EQ(j["mpps"], 0.0);
  EXPECT_EQ(j["gbps_l1"], 0.0);
  EXPECT_TRUE(j["workers"][1]["busy"].is_null());
  EXPECT_TRUE(j["workers"][1]["cycles_per_packet"].is_null());
}

TEST(run_report_json, escapes_names_whatever_they_hold) {
  std::string const name = "say \"no\"\\\n\t\x01 \xc3\xa9";
  auto const j = parsed(run_report{.packets = {.dropped = {{name, 7}}}, .ports = {{.name = "bad \xff byte"}}});
  EXPECT_EQ(j["packets"]["dropped"][name], 7);
  EXPECT_EQ(j["ports"][0]["name"], "bad \xef\xbf\xbd byte");
}

TEST(run_report_json, keeps_every_digit_of_large_counts) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(parsed(run_report{.packets = {.rx = most}})["packets"]["rx"].get<std::uint64_t>(), most);
}

}  // namespace
}  // namespace packetwarp::telemetry
