// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// How long rules of addresses and ports alone hold, and rules that pass: on each executor, as far as a CPU has it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "fixtures/packet_builder.h"
#include "inspection/connections.h"
#include "inspection/flows/held_rules.h"
#include "inspection/lanes.h"
#include "inspection/random_packets.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {
namespace {

using inspection_parts::fate;
using fates = std::vector<fate>;

// The ways by which packets are judged: with streams; each one alone; by several lanes; the same with neighbours.
struct judging {
  char const* name;
  inspection_sizes sizes;
  unsigned lanes;
  unsigned group;
};
constexpr unsigned whole_group = 32;
judging const all_judgings[] = {
    {"with streams, one by one", {.flows = 65'536, .rates = 65'536}, 1, 1},
    {"with streams, in a group", {.flows = 65'536, .rates = 65'536}, 1, whole_group},
    {"alone, one by one", judged_alone, 1, 1},
    {"alone, in a group", judged_alone, 1, whole_group},
    {"by lanes, some at once", judged_alone, 2, 2},
    {"by lanes", judged_alone, whole_group, whole_group},
    {"by lanes with neighbours, some at once", judged_with_neighbours, 3, 3},
    {"by lanes with neighbours", judged_with_neighbours, whole_group, whole_group},
};

[[nodiscard]] fates judged(stage_bed& bed, judging const& how, std::vector<frame_bytes> frames) {
  return how.lanes == 1 ? bed.judge(frames, how.group) : judged_by_lanes(bed, frames, how.lanes);
}

[[nodiscard]] frame_bytes datagram(std::string const& from, std::string const& to, std::string const& text = "evil",
                                   std::uint16_t from_port = 1000, std::uint16_t to_port = 7) {
  auto const* raw = reinterpret_cast<std::byte const*>(text.data());
  return packet_builder{}.eth().ipv4(from, to).udp(from_port, to_port).payload(bytes{raw, raw + text.size()}).build();
}

[[nodiscard]] fates of(std::size_t count, fate one) { return fates(count, one); }

// Datagrams, pings, and a connection whose client asks twice and goes on.
[[nodiscard]] std::vector<frame_bytes> frames_of_host(std::string const& host) {
  connection const tcp{4000, host};
  auto frames = tcp.handshake();
  frames.erase(frames.begin() + 1);
  frames.insert(frames.begin(), frames.front());
  frames.push_back(tcp.segment(0, 0, "GET / HTTP/1.1\r\n\r\n"));
  for (unsigned n = 0; n < 3; ++n) {
    frames.push_back(datagram(host, "20.0.0.9"));
    frames.push_back(packet_builder{}.eth().ipv4(host, "20.0.0.9").icmp_echo(1, n).build());
  }
  return frames;
}

TEST(rules_of_addresses, that_drop_or_reject_do_so_with_every_packet_and_alert_once_per_flow) {
  for (auto const& [action, wanted] : {std::pair{"drop", fate::dropped}, std::pair{"reject", fate::rejected}}) {
    for (auto const& how : all_judgings) {
      for (auto const* const more : {"", "threshold:type limit, track by_rule, count 9, seconds 60; "}) {
        stage_bed bed{fmt::format("{} ip 10.0.0.9 any -> any any ({}sid:1;)\n", action, more), how.sizes};
        auto const frames = frames_of_host("10.0.0.9");
        EXPECT_EQ(judged(bed, how, frames), of(frames.size(), wanted)) << how.name;
        EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 3}})) << how.name << ": TCP, UDP and ICMP";
        auto const others = frames_of_host("10.0.0.8");
        EXPECT_EQ(judged(bed, how, others), of(others.size(), fate::goes_on)) << how.name;
      }
    }
  }
}

// The limit of a list of addresses keeps back alerts, and no drop.
TEST(rules_of_addresses, that_drop_within_a_limit_drop_beyond_it_too) {
  for (auto const& how : all_judgings) {
    stage_bed bed{
        "drop ip 10.0.0.9 any -> any any (threshold:type limit, track by_src, count 1, seconds 3600; sid:1;)\n",
        how.sizes};
    auto const frames = frames_of_host("10.0.0.9");
    EXPECT_EQ(judged(bed, how, frames), of(frames.size(), fate::dropped)) << how.name;
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}})) << how.name;
  }
}

TEST(rules_of_addresses, with_ports_drop_every_packet) {
  for (auto const& how : all_judgings) {
    stage_bed bed{"drop udp any any -> !20.0.0.1 7 (sid:1;)\ndrop tcp any any -> any 80 (sid:2;)\n", how.sizes};
    auto const tcp = connection{4000}.handshake();
    std::vector<frame_bytes> const frames{datagram("10.0.0.1", "20.0.0.9"), datagram("10.0.0.1", "20.0.0.9"),
                                          datagram("20.0.0.9", "10.0.0.1", "evil", 7, 1000), tcp[0], tcp[2]};
    EXPECT_EQ(judged(bed, how, frames),
              (fates{fate::dropped, fate::dropped, fate::goes_on, fate::dropped, fate::dropped}))
        << how.name;
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}, {2, 1}})) << how.name;
  }
}

void renew(stage_bed& bed, inspect::rule_set& rules, std::string const& text, inspect::ruleset& compiled) {
  inspect::add_rules(rules, "other.rules", text, inspect::variables{});
  compiled = inspect::compile_rules(rules);
  bed.table().prepare({.rules = compiled, .count = rules.rules.size()}, make_regex_engines(compiled, 1));
  bed.table().publish();
}

TEST(rules_of_addresses, that_come_by_a_reload_drop_packets_of_flows_before_it_and_alert) {
  for (auto const& how : all_judgings) {
    stage_bed bed{"alert udp any any -> any any (content:\"nothing\"; sid:1;)\n", how.sizes};
    auto const frames = frames_of_host("10.0.0.9");
    EXPECT_EQ(judged(bed, how, frames), of(frames.size(), fate::goes_on)) << how.name;
    inspect::rule_set rules;
    auto compiled = inspect::compile_rules(rules);
    renew(bed, rules, "drop ip 10.0.0.9 any -> any any (sid:1;)\n", compiled);
    EXPECT_EQ(judged(bed, how, frames), of(frames.size(), fate::dropped)) << how.name;
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 3}})) << how.name;
    inspect::rule_set others;
    auto compiled_others = inspect::compile_rules(others);
    renew(bed, others, "drop ip 10.0.0.8 any -> any any (sid:1;)\n", compiled_others);
    EXPECT_EQ(judged(bed, how, frames), of(frames.size(), fate::goes_on)) << how.name << ": the list has other hosts";
  }
}

TEST(rules_of_addresses, with_verdicts_that_only_alert_let_packets_go_on) {
  inspect::rule_set rules;
  stage_bed bed{"drop ip 10.0.0.9 any -> any any (sid:1;)\n"};
  bed.table().prepare(
      {.rules = bed.compiled(), .count = bed.rules().rules.size(), .verdicts = inspection_verdicts::alert_only},
      make_regex_engines(bed.compiled(), 1));
  bed.table().publish();
  auto frames = frames_of_host("10.0.0.9");
  EXPECT_EQ(bed.judge(frames, whole_group), of(frames.size(), fate::goes_on));
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 3}}));
}

// A rule that counts flows does so with the first packet of each direction, and decides on the flow that is too many.
TEST(rules_of_addresses, that_count_flows_drop_the_rest_of_each_flow_that_is_too_many) {
  for (auto const& how : all_judgings) {
    stage_bed bed{"drop udp any any -> any 7 (threshold:type both, track by_src, count 2, seconds 60; sid:1;)\n",
                  how.sizes};
    fates wanted;
    std::vector<frame_bytes> frames;
    for (std::uint16_t flow = 0; flow < 4; ++flow) {
      auto const port = static_cast<std::uint16_t>(1000 + flow);
      for (unsigned n = 0; n < 3; ++n) frames.push_back(datagram("10.0.0.1", "20.0.0.9", "x", port));
      frames.push_back(datagram("20.0.0.9", "10.0.0.1", "x", 7, port));
      for (unsigned n = 0; n < 4; ++n) wanted.push_back(flow == 0 ? fate::goes_on : fate::dropped);
    }
    EXPECT_EQ(judged(bed, how, frames), wanted) << how.name;
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}})) << how.name;
    EXPECT_EQ(bed.counts().of_ended_connections, 9U) << how.name;
  }
}

TEST(rules_of_addresses, that_pass_pass_the_whole_flow) {
  for (auto const& how : all_judgings) {
    stage_bed bed{
        "pass ip 10.0.0.1 any -> any any (sid:1;)\n"
        "drop ip any any -> any any (content:\"evil\"; sid:2;)\n",
        how.sizes};
    auto const there = datagram("10.0.0.1", "20.0.0.9");
    auto const back = datagram("20.0.0.9", "10.0.0.1", "evil", 7, 1000);
    auto const other = datagram("10.0.0.2", "20.0.0.9");
    EXPECT_EQ(judged(bed, how, {there, there, back, other, there, back}),
              (fates{fate::goes_on, fate::goes_on, fate::goes_on, fate::dropped, fate::goes_on, fate::goes_on}))
        << how.name;
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{2, 1}})) << how.name;
    EXPECT_EQ(bed.counts().passed, 1U) << how.name << ": packets that a rule has matched";
  }
}

TEST(rules_that_pass, end_with_a_reload_and_with_their_connection) {
  std::string const judged_rules = "drop tcp any any -> any any (flow:established; content:\"evil\"; sid:2;)\n";
  for (auto const& how : all_judgings) {
    stage_bed bed{"pass http any any -> any any (http.host; content:\"trusted\"; sid:1;)\n" + judged_rules, how.sizes};
    connection const one{4000};
    auto frames = one.handshake();
    frames.push_back(one.segment(0, 0, "GET / HTTP/1.1\r\nHost: trusted\r\n\r\n"));
    frames.push_back(one.segment(1, 0, "HTTP/1.1 200 OK\r\nX: evil\r\n\r\n"));
    frames.push_back(one.segment(0, 33, "GET /evil HTTP/1.1\r\n"));
    EXPECT_EQ(judged(bed, how, frames), of(frames.size(), fate::goes_on)) << how.name;
    EXPECT_TRUE(bed.alerts().empty()) << how.name;
    inspect::rule_set rules;
    auto compiled = inspect::compile_rules(rules);
    renew(bed, rules, judged_rules, compiled);
    EXPECT_EQ(judged(bed, how, {one.segment(0, 53, "Host: evil\r\n\r\n")}), of(1, fate::dropped)) << how.name;
  }
}

TEST(rules_that_pass, hold_for_the_connection_if_they_match_a_stream_and_else_for_a_packet) {
  for (auto const& how : all_judgings) {
    stage_bed bed{
        "pass tcp-pkt any any -> any any (content:\"packet\"; sid:1;)\n"
        "pass udp any any -> any any (content:\"packet\"; sid:2;)\n"
        "pass tcp any any -> any any (flow:to_server; content:\"stream\"; sid:3;)\n"
        "pass dns any any -> any any (dns.query; content:\"trusted\"; sid:4;)\n"
        "drop ip any any -> any any (content:\"evil\"; sid:9;)\n",
        how.sizes};
    connection const one{4000};
    connection const other{4001};
    auto frames = one.handshake();
    append(frames, other.handshake());
    frames.push_back(one.segment(0, 0, "packet evil"));
    frames.push_back(datagram("10.0.0.1", "20.0.0.9", "packet evil"));
    frames.push_back(datagram("10.0.0.1", "20.0.0.9", "evil"));
    EXPECT_EQ(judged(bed, how, frames).back(), fate::dropped) << how.name;
    bool const has_streams = how.sizes.streams.streams != 0 || how.sizes.carried != 0;
    frames = {other.segment(0, 0, "stream evil"), other.segment(1, 0, "evil")};
    EXPECT_EQ(judged(bed, how, frames), (fates{fate::goes_on, has_streams ? fate::goes_on : fate::dropped}))
        << how.name;
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{9, has_streams ? 1U : 2U}})) << how.name;
  }
}

// The device test has the same rules and frames.
TEST(rules_of_addresses, hold_by_lanes_as_by_one_lane) {
  stage_bed alone{held_rules, judged_alone};
  stage_bed bed{held_rules, judged_alone};
  for (auto turn : turns_for_held_rules(200)) EXPECT_EQ(judged_by_lanes(bed, turn, whole_group), alone.judge(turn, 1));
  EXPECT_EQ(bed.alerts(), alone.alerts());
  EXPECT_EQ(bed.counts().of_ended_connections, alone.counts().of_ended_connections);
  EXPECT_EQ(bed.counts().passed, alone.counts().passed);
  EXPECT_EQ(bed.counts().of_ended_connections, 5U * 33U) << "all but the two SYNs of flows that were too many";
  EXPECT_GT(bed.alerts().at(7), 100U);
  for (auto const sid : {3U, 5U}) EXPECT_EQ(bed.alerts().at(sid), 33U) << "one per host";
}

// A stage without streams beside the inspector, which shares neither flows nor the order of work.
TEST(rules_of_addresses, give_the_inspectors_alerts) {
  auto frames = random_packets(3000, 21);
  auto const text = std::string{rules_of_all_kinds} +
                    "pass icmp 10.0.0.2 any -> any any (sid:201;)\n"
                    "pass udp 10.0.0.3 4000 -> any any (sid:202;)\n"
                    "drop ip 10.0.0.1 4001 -> any any (sid:203;)\n"
                    "alert ip !10.0.0.1 any -> any any (sid:204;)\n"
                    "alert udp any any -> any 53 (sid:205;)\n"
                    "alert tcp any any -> any 80 (flowbits:set,web; sid:206;)\n"
                    "alert tcp any any -> any any (flow:stateless; sid:207;)\n"
                    "alert tcp-pkt any any -> any any (content:\"x\"; flowbits:isset,web; sid:208;)\n";
  for (auto const& how : all_judgings) {
    stage_bed bed{text, how.sizes};
    (void)judged(bed, how, frames);
    EXPECT_EQ(bed.alerts(), alerts_of_inspector(bed, frames)) << how.name;
    for (auto const sid : {203U, 204U, 205U, 206U, 207U, 208U}) EXPECT_GT(bed.alerts().at(sid), 2U) << sid;
  }
}

}  // namespace
}  // namespace packetwarp::test
