// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "module/detect/detect_report.h"
#include "module/nat44/nat_report.h"
#include "module/rules/rules_report.h"

namespace packetwarp {
namespace {

using json = nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

[[nodiscard]] nat_report some_sessions() {
  nat_report made;
  made.udp = 5;
  made.tcp = 3;
  made.icmp = 1;
  made.configured = 2;
  made.room = 64;
  made.made = 9;
  made.ended = 2;
  made.evicted = 1;
  made.untracked = 7;
  made.unlogged = 4;
  made.conflicts = 6;
  return made;
}

[[nodiscard]] std::string metrics_of(telemetry::report_part const& part) {
  telemetry::metrics_text text{telemetry::exposition::openmetrics};
  part.add_metrics(text);
  return std::move(text).end();
}

TEST(nat_report, has_every_count_in_json) {
  EXPECT_EQ(some_sessions().object(),
            json::parse(R"({"live": 9, "udp": 5, "tcp": 3, "icmp": 1, "configured": 2, "room": 64, "made": 9,
                            "ended": 2, "evicted": 1, "untracked": 7, "unlogged": 4, "conflicts": 6})"));
}

TEST(nat_report, is_exactly_these_metrics) {
  constexpr std::string_view wanted = R"om(# TYPE packetwarp_nat_sessions gauge
# HELP packetwarp_nat_sessions NAT44's sessions, by protocol.
packetwarp_nat_sessions{protocol="udp"} 5
packetwarp_nat_sessions{protocol="tcp"} 3
packetwarp_nat_sessions{protocol="icmp"} 1
# TYPE packetwarp_nat_sessions_configured gauge
# HELP packetwarp_nat_sessions_configured Sessions of the configuration among these.
packetwarp_nat_sessions_configured 2
# TYPE packetwarp_nat_sessions_room gauge
# HELP packetwarp_nat_sessions_room The most sessions that the tables hold.
packetwarp_nat_sessions_room 64
# TYPE packetwarp_nat_sessions_made counter
# HELP packetwarp_nat_sessions_made Sessions made by packets.
packetwarp_nat_sessions_made_total 9
# TYPE packetwarp_nat_sessions_ended counter
# HELP packetwarp_nat_sessions_ended Sessions that have ended.
packetwarp_nat_sessions_ended_total 2
# TYPE packetwarp_nat_sessions_evicted counter
# HELP packetwarp_nat_sessions_evicted Sessions among these that ended before their time, for a new one to have room.
packetwarp_nat_sessions_evicted_total 1
# TYPE packetwarp_nat_connections_untracked counter
# HELP packetwarp_nat_connections_untracked TCP connections that found no room to be known.
packetwarp_nat_connections_untracked_total 7
# TYPE packetwarp_nat_sessions_unlogged counter
# HELP packetwarp_nat_sessions_unlogged Made or ended without a line in the session log.
packetwarp_nat_sessions_unlogged_total 4
# TYPE packetwarp_nat_sessions_conflicts counter
# HELP packetwarp_nat_sessions_conflicts Sessions of a failed GPU whose ports other sessions had by then.
packetwarp_nat_sessions_conflicts_total 6
# EOF
)om";
  EXPECT_EQ(metrics_of(some_sessions()), wanted);
}

TEST(nat_report, has_as_many_numbers_as_are_asked_for) {
  EXPECT_THAT(some_sessions().numbers(2), ElementsAre(Pair("live", 9), Pair("udp", 5)));
  EXPECT_EQ(some_sessions().numbers(1000).size(), 8u);
}

TEST(rules_report, has_every_flow_rule_and_null_for_a_line_or_count_that_it_does_not_have) {
  rules_report const report{{{.port = 1, .number = 2, .line = 3, .group = 4, .priority = 5, .on = "nic"},
                             {.on = "cpu", .why = "its port refuses it", .hits = 6, .bytes = 7}}};
  EXPECT_EQ(report.object(), json::parse(R"([
      {"port": 1, "number": 2, "line": 3, "group": 4, "priority": 5, "on": "nic", "why": null, "hits": null, "bytes": null},
      {"port": 0, "number": 0, "line": null, "group": 0, "priority": 0, "on": "cpu", "why": "its port refuses it", "hits": 6,
       "bytes": 7}])"));
}

TEST(rules_report, has_metrics_and_numbers_of_rules_that_count) {
  rules_report const report{{{.port = 1, .number = 2, .on = "nic"},
                             {.port = 1, .interface = "wan", .number = 3, .on = "cpu", .hits = 6, .bytes = 360},
                             {.port = 2, .number = 0, .on = "cpu", .hits = 0, .bytes = 0}}};
  EXPECT_EQ(metrics_of(report), R"om(# TYPE packetwarp_rule_hits counter
# HELP packetwarp_rule_hits Packets that a flow rule was for.
packetwarp_rule_hits_total{port="1",rule="3",on="cpu",interface="wan"} 6
packetwarp_rule_hits_total{port="2",rule="0",on="cpu"} 0
# TYPE packetwarp_rule_bytes counter
# UNIT packetwarp_rule_bytes bytes
# HELP packetwarp_rule_bytes Bytes of these.
packetwarp_rule_bytes_total{port="1",rule="3",on="cpu",interface="wan"} 360
packetwarp_rule_bytes_total{port="2",rule="0",on="cpu"} 0
# EOF
)om");
  EXPECT_THAT(report.numbers(10), ElementsAre(Pair("1/3", 6), Pair("2/0", 0)));
  EXPECT_THAT(report.numbers(1), ElementsAre(Pair("1/3", 6)));
}

TEST(rules_report, says_where_flow_rules_ran_and_shows_the_first_that_count) {
  std::vector<rule_report> rules;
  EXPECT_EQ(rules_report{rules}.line(), "rules    0\n");
  for (std::uint32_t n = 0; n < 1000; ++n) rules.push_back({.number = n, .on = n < 3 ? "cpu" : "nic"});
  EXPECT_EQ(rules_report{rules}.line(), "rules    1,000: 997 on nic, 3 on cpu\n");
  EXPECT_THAT(rules_report{rules}.table(), IsEmpty());
  for (std::uint32_t n = 0; n < 21; ++n) {
    rules.at(2 * n).hits = 1000 * n;
    rules.at(2 * n).bytes = 64000 * n;
  }
  auto const text = rules_report{rules}.table();
  EXPECT_THAT(text, HasSubstr("port  rule  group  priority  on     hits      bytes\n"
                              "   0     0      0         0  cpu       0          0\n"
                              "   0     2      0         0  cpu   1,000     64,000\n"
                              "   0     4      0         0  nic   2,000    128,000\n"));
  EXPECT_THAT(text, HasSubstr("   0    38      0         0  nic  19,000  1,216,000\nand 1 more rules that count\n"));
}

[[nodiscard]] detect_report some_findings() {
  return detect_report{{.models = {{.file = "a.onnx", .threshold = 0.5, .judged = 1234, .anomalous = 5},
                                   {.file = "b.onnx", .threshold = -1, .judged = 1234, .anomalous = 6}},
                        .action = detect_action::drop,
                        .flows = {.inserted = 7, .replaced = 8, .untracked = 9, .reserved = {}},
                        .hosts = {.inserted = 10, .replaced = 11, .untracked = 12, .reserved = {}},
                        .events = {.told = 13, .repeated = 14, .lost = 15, .limited = 16},
                        .busiest = {{.as = anomalous_host::role::source,
                                     .address = "192.0.2.1",
                                     .packets = 17,
                                     .flows = 18,
                                     .highest = 0.75,
                                     .latest = 0.5,
                                     .peer = "192.0.2.2"}},
                        .highest = {{.source = "192.0.2.1",
                                     .destination = "192.0.2.2",
                                     .source_port = 19,
                                     .destination_port = 20,
                                     .protocol = "TCP",
                                     .packets = 21,
                                     .highest = 0.75,
                                     .latest = 0.25},
                                    {.source = "2001:db8::1",
                                     .destination = "2001:db8::2",
                                     .protocol = "IPv6-ICMP",
                                     .packets = 22,
                                     .highest = 0.5,
                                     .latest = 0.5}}}};
}

TEST(detect_report, has_every_count_in_json) {
  EXPECT_EQ(some_findings().object(), json::parse(R"({"action": "drop", "models": [
      {"file": "a.onnx", "threshold": 0.5, "decides": true, "judged": 1234, "anomalous": 5},
      {"file": "b.onnx", "threshold": -1.0, "decides": false, "judged": 1234, "anomalous": 6}],
      "flows": {"inserted": 7, "replaced": 8, "untracked": 9}, "hosts": {"inserted": 10, "replaced": 11, "untracked": 12},
      "events": {"told": 13, "repeated": 14, "limited": 16, "lost": 15},
      "busiest": [{"address": "192.0.2.1", "role": "source", "packets": 17, "flows": 18, "highest": 0.75, "latest": 0.5,
                   "peer": "192.0.2.2"}],
      "highest": [{"source": "192.0.2.1", "destination": "192.0.2.2", "source_port": 19, "destination_port": 20,
                   "protocol": "TCP", "packets": 21, "highest": 0.75, "latest": 0.25},
                  {"source": "2001:db8::1", "destination": "2001:db8::2", "protocol": "IPv6-ICMP", "packets": 22,
                   "highest": 0.5, "latest": 0.5}]})"));
}

TEST(detect_report, has_metrics_numbers_and_a_line) {
  EXPECT_EQ(metrics_of(some_findings()), R"om(# TYPE packetwarp_detect_judged counter
# HELP packetwarp_detect_judged Packets that a model has judged.
packetwarp_detect_judged_total{number="0",model="a.onnx"} 1234
packetwarp_detect_judged_total{number="1",model="b.onnx"} 1234
# TYPE packetwarp_detect_anomalous counter
# HELP packetwarp_detect_anomalous Packets whose score was above the model's threshold.
packetwarp_detect_anomalous_total{number="0",model="a.onnx"} 5
packetwarp_detect_anomalous_total{number="1",model="b.onnx"} 6
# TYPE packetwarp_detect_records_replaced counter
# HELP packetwarp_detect_records_replaced Flows and hosts that took the place of idle ones.
packetwarp_detect_records_replaced_total{of="flows"} 8
packetwarp_detect_records_replaced_total{of="hosts"} 11
# TYPE packetwarp_detect_untracked counter
# HELP packetwarp_detect_untracked Packets for whose flow or host there was no place.
packetwarp_detect_untracked_total{of="flows"} 9
packetwarp_detect_untracked_total{of="hosts"} 12
# TYPE packetwarp_detect_events counter
# HELP packetwarp_detect_events Events of flows with anomalous packets, and those that were not written.
packetwarp_detect_events_total{fate="told"} 13
packetwarp_detect_events_total{fate="repeated"} 14
packetwarp_detect_events_total{fate="limited"} 16
packetwarp_detect_events_total{fate="lost"} 15
# EOF
)om");
  EXPECT_THAT(some_findings().numbers(100), ElementsAre(Pair("0/judged", 1234), Pair("0/anomalous", 5),
                                                        Pair("1/judged", 1234), Pair("1/anomalous", 6)));
  EXPECT_EQ(some_findings().numbers(3).size(), 2u);
  EXPECT_EQ(some_findings().line(), "detect   5 of 1,234 packets called anomalous by a.onnx, action drop\n");
  EXPECT_EQ(detect_report{{}}.line(), "");
}

TEST(detect_report, the_line_tells_verdicts_and_the_action_and_not_how_many_packets_had_it) {
  detect_counts counts{.models = {{.file = "a.onnx", .judged = 1234, .anomalous = 1000}},
                       .large = {.file = "l.onnx", .judged = 20, .anomalous = 3},
                       .action = detect_action::answer_all};
  EXPECT_EQ(detect_report{counts}.line(),
            "detect   1,000 of 1,234 packets called anomalous by a.onnx, action answer-all; of uncertain flows 3 of 20 "
            "packets called anomalous by l.onnx\n");
}

}  // namespace
}  // namespace packetwarp
