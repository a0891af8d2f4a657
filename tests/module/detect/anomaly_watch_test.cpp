// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/anomaly_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "fixtures/repetitions.h"

namespace packetwarp::test {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

[[nodiscard]] detect_parts::anomaly seen_at(std::uint32_t source, std::uint64_t flow) {
  detect_parts::anomaly made{};
  made.flow = flow;
  made.source.low = source;
  made.destination.low = 0xc633'6401;  // 198.51.100.1
  made.packets = 1;
  made.score = 3;
  made.source_port = 40'000;
  made.destination_port = 80;
  made.ip_version = 4;
  made.protocol = 6;
  made.has_ports = 1;
  return made;
}
constexpr std::uint32_t sender = 0xc000'0202;  // 192.0.2.2
deciding_model const model{.file = "a \"b\".onnx", .threshold = 0.5, .unit = 0.25, .action = detect_action::drop};

class watch_bed {
 public:
  void see(detect_parts::anomaly const& seen, control_time now) { watch.see(seen, "left", model, now); }
  std::vector<std::string> lines;
  anomaly_watch watch{60s, [this](std::string_view line) { lines.emplace_back(line); }};
};

TEST(eve_line, has_suricatas_fields_and_the_models) {
  auto const when = std::chrono::system_clock::time_point{} + std::chrono::seconds{1'764'000'000} + 123us;
  auto const line = json::parse(eve_line(seen_at(sender, 1ULL << 63), "left", model, when));
  EXPECT_EQ(line, json::parse(R"({"timestamp": "2025-11-24T16:00:00.000123+0000", "flow_id": 4503599627370496,
      "in_iface": "left", "event_type": "anomaly", "src_ip": "192.0.2.2", "src_port": 40000, "dest_ip": "198.51.100.1",
      "dest_port": 80, "proto": "TCP", "anomaly": {"type": "model", "event": "score_above_threshold",
      "model": "a \"b\".onnx", "score": 0.75, "threshold": 0.5, "action": "drop"}})"));
}

TEST(eve_line, leaves_out_what_a_packet_does_not_have) {
  auto seen = seen_at(sender, 1);
  seen.has_ports = 0;
  seen.protocol = 47;
  auto const without_ports = json::parse(eve_line(seen, "left", model, {}));
  EXPECT_FALSE(without_ports.contains("src_port"));
  EXPECT_EQ(without_ports.at("proto"), "047");
  seen.ip_version = 0;
  auto const no_ip = json::parse(eve_line(seen, "left", model, {}));
  EXPECT_FALSE(no_ip.contains("src_ip") || no_ip.contains("proto")) << no_ip;
  seen.ip_version = 6;
  seen.source = {0x2001'0db8ULL << 32, 1};
  seen.protocol = 58;
  auto const ipv6 = json::parse(eve_line(seen, "left", model, {}));
  EXPECT_EQ(ipv6.at("src_ip"), "2001:db8::1");
  EXPECT_EQ(ipv6.at("proto"), "IPv6-ICMP");
}

TEST(anomaly_watch, tells_of_a_flow_once_per_period) {
  watch_bed bed;
  for (auto const now : {0s, 1s, 59s, 60s, 61s}) bed.see(seen_at(sender, 7), now);
  bed.see(seen_at(sender, 8), 61s);
  EXPECT_EQ(bed.lines.size(), 3U);
  EXPECT_EQ(bed.watch.counts().told, 3U);
  EXPECT_EQ(bed.watch.counts().repeated, 3U);
}

TEST(anomaly_watch, knows_the_hosts_with_the_most_anomalous_packets_of_the_last_seconds) {
  watch_bed bed;
  bed.see(seen_at(1, 1), 0s);
  auto many = seen_at(sender, 2);
  many.packets = 50;
  many.score = 9;
  bed.see(many, 8s);
  many.score = 4;
  bed.see(many, 9s);
  bed.see(seen_at(3, 3), 9s);
  auto const found = bed.watch.busiest(3, 12s);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].address, "198.51.100.1");
  EXPECT_EQ(found[0].as, anomalous_host::role::destination);
  EXPECT_EQ(found[0].packets, 102U);
  EXPECT_EQ(found[1].address, "192.0.2.2");
  EXPECT_EQ(found[1].packets, 100U);
  EXPECT_EQ(found[1].flows, 1U);
  EXPECT_EQ(found[1].highest, 2.25);
  EXPECT_EQ(found[1].latest, 1.0);
  EXPECT_EQ(found[1].peer, "198.51.100.1");
  EXPECT_EQ(found[2].address, "0.0.0.3") << "0.0.0.1 has been silent for twelve seconds";
}

TEST(anomaly_watch, knows_the_flows_with_the_highest_scores_of_the_last_seconds) {
  watch_bed bed;
  auto const see = [&](std::uint64_t flow, std::int32_t score, control_time now) {
    auto seen = seen_at(static_cast<std::uint32_t>(flow), flow);
    seen.score = score;
    seen.packets = 10;
    bed.see(seen, now);
  };
  see(1, 100, 0s);
  for (auto const score : {4, 40, 8}) see(2, score, 9s);
  see(3, 36, 9s);
  see(4, -8, 9s);
  auto back = seen_at(0xc633'6401, 4);  // of the other direction
  back.destination.low = 4;
  back.source_port = 80;
  back.destination_port = 40'000;
  back.score = 2;
  bed.see(back, 10s);
  detect_parts::anomaly no_ip{};
  no_ip.flow = 5;
  no_ip.score = 1000;
  bed.see(no_ip, 10s);

  auto const found = bed.watch.highest(20, 12s);
  ASSERT_EQ(found.size(), 3U) << "the first one has been silent for twelve seconds";
  EXPECT_EQ(found[0].source, "0.0.0.2");
  EXPECT_EQ(found[0].destination, "198.51.100.1");
  EXPECT_EQ(found[0].source_port, 40'000);
  EXPECT_EQ(found[0].destination_port, 80);
  EXPECT_EQ(found[0].protocol, "TCP");
  EXPECT_EQ(found[0].packets, 30U);
  EXPECT_EQ(found[0].highest, 10.0);
  EXPECT_EQ(found[0].latest, 2.0);
  EXPECT_EQ(found[1].source, "0.0.0.3");
  EXPECT_EQ(found[2].source, "0.0.0.4") << "the endpoints are those of the first record";
  EXPECT_EQ(found[2].packets, 11U);
  EXPECT_EQ(found[2].highest, 0.5);
  ASSERT_EQ(bed.watch.highest(1, 12s).size(), 1U);
  EXPECT_EQ(bed.watch.highest(1, 12s)[0].source, "0.0.0.2");
}

TEST(anomaly_watch, adds_the_rest_of_a_flow_that_gave_its_place_away_to_the_flow_and_its_hosts) {
  watch_bed bed;
  bed.see(seen_at(sender, 7), 1s);
  for (std::uint64_t const flow : {7U, 8U}) {
    detect_parts::anomaly rest{};
    rest.flow = flow;
    rest.packets = 20;
    rest.set = detect_parts::anomaly::rest;
    bed.see(rest, 100s);
  }
  EXPECT_EQ(bed.lines.size(), 1U) << "no event";
  EXPECT_EQ(bed.watch.counts().told + bed.watch.counts().repeated, 1U);
  EXPECT_TRUE(bed.watch.highest(20, 100s).empty()) << "the packets came before";
  auto const flows = bed.watch.highest(20, 2s);
  ASSERT_EQ(flows.size(), 1U) << "no flow without a record";
  EXPECT_EQ(flows[0].packets, 21U);
  EXPECT_EQ(flows[0].latest, 0.75);
  auto const hosts = bed.watch.busiest(20, 2s);
  ASSERT_EQ(hosts.size(), 2U);
  for (auto const& one : hosts) EXPECT_EQ(one.packets, 21U);
}

TEST(anomaly_watch, keeps_no_more_hosts_and_flows_than_it_has_room_for_and_those_that_go_on) {
  watch_bed bed;
  auto const flows = anomaly_watch::most_flows * repetitions(12U, 5) / 4;
  for (std::uint32_t n = 0; n < flows; ++n) {
    bed.see(seen_at(1000 + n, 1000 + n), 1s);
    if (n % 1000 == 0) bed.see(seen_at(sender, 7), 1s);
  }
  auto const all = bed.watch.busiest(1U << 20, 1s);
  EXPECT_EQ(all.size(), anomaly_watch::most_hosts);
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](auto const& one) { return one.address == "192.0.2.2"; }));
  EXPECT_EQ(bed.watch.highest(1U << 20, 1s).size(), anomaly_watch::most_flows);
  EXPECT_EQ(bed.watch.counts().told, flows + 1) << "the flow that went on was told once";
}

}  // namespace
}  // namespace packetwarp::test
