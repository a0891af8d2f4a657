// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The packets of a flow for which rules of addresses and ports alone alert, and rules that pass hold: as Suricata
// 7.0.10 said of the same packets.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "inspect/conversation.h"

namespace packetwarp::inspect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Rules and datagrams of a flow that they have seen.
class flow_of_udp {
 public:
  explicit flow_of_udp(std::string const& text)
      : rules_{rules_of(text)}, compiled_{compile_rules(rules_)}, inspector_{compiled_, rules_.rules.size(), {1, 3}} {
    EXPECT_TRUE(rules_.problems.empty()) << rules_.problems.front();
  }

  std::vector<std::uint32_t> there(std::string const& text = "evil") {
    return see(test::packet_builder{}.eth().ipv4("10.0.0.1", "8.8.8.8").udp(1000, 7), text);
  }
  std::vector<std::uint32_t> back(std::string const& text = "evil") {
    return see(test::packet_builder{}.eth().ipv4("8.8.8.8", "10.0.0.1").udp(7, 1000), text);
  }
  // How many of four datagrams and two answers each rule alerts for.
  std::vector<unsigned> alerts() {
    std::vector<unsigned> count(rules_.rules.size());
    for (unsigned n = 0; n < 6; ++n) {
      for (auto const sid : n < 4 ? there() : back()) ++count[sid - 1];
    }
    return count;
  }

 private:
  std::vector<std::uint32_t> see(test::packet_builder& made, std::string const& text) {
    auto const* raw = reinterpret_cast<std::byte const*>(text.data());
    auto const frame = made.payload(test::bytes{raw, raw + text.size()}).build();
    std::vector<std::uint32_t> sids;
    for (auto const& one : inspector_.inspect(frame, static_cast<std::uint32_t>(frame.size()), 1'000'000'000))
      sids.push_back(rules_.rules[one.rule].sid);
    return sids;
  }

  rule_set rules_;
  ruleset compiled_;
  inspector inspector_;
};

[[nodiscard]] std::vector<unsigned> alerts_for(std::string const& rules) { return flow_of_udp{rules}.alerts(); }

TEST(scopes, rules_of_addresses_and_ports_alone_alert_once_per_direction) {
  EXPECT_THAT(alerts_for("alert udp any any -> any any (sid:1;)\n"), ElementsAre(2));
  EXPECT_THAT(alerts_for("alert udp any any -> any 7 (sid:1;)\n"), ElementsAre(1));
  EXPECT_THAT(alerts_for("alert udp any 1000 <> any 7 (sid:1;)\n"), ElementsAre(2));
  EXPECT_THAT(alerts_for("alert udp any any -> any !8 (sid:1;)\n"), ElementsAre(2));
  EXPECT_THAT(alerts_for("alert udp any any -> any 7 (threshold:type threshold, track by_src, count 2, seconds 60; "
                         "sid:1;)\n"),
              ElementsAre(0));
}

TEST(scopes, rules_with_a_negated_address_alert_on_every_packet) {
  EXPECT_THAT(alerts_for("alert ip !10.0.0.2 any -> any any (sid:1;)\n"), ElementsAre(6));
  EXPECT_THAT(alerts_for("alert ip [10.0.0.0/8,!10.0.0.2] any -> any any (sid:1;)\n"), ElementsAre(4));
  EXPECT_THAT(alerts_for("alert ip $EXTERNAL_NET any -> any any (sid:1;)\n"), ElementsAre(2));
  EXPECT_THAT(alerts_for("alert ip any any -> [$AIM_SERVERS] any (sid:1;)\n"), ElementsAre(4)) << "$EXTERNAL_NET";
  EXPECT_THAT(alerts_for("alert ip $HOME_NET any -> any any (sid:1;)\n"), ElementsAre(1));
}

TEST(scopes, rules_that_drop_alert_once) {
  EXPECT_THAT(alerts_for("drop ip 10.0.0.1 any -> any any (sid:1;)\n"), ElementsAre(1));
  EXPECT_THAT(alerts_for("drop ip !10.0.0.2 any -> any 7 (sid:1;)\n"), ElementsAre(1));
}

TEST(scopes, other_options_make_a_rule_alert_on_every_packet) {
  EXPECT_THAT(alerts_for("alert udp any any -> any 7 (flow:stateless; sid:1;)\n"), ElementsAre(4));
  EXPECT_THAT(alerts_for("alert udp any any -> any 7 (dsize:>0; sid:1;)\n"), ElementsAre(4));
  EXPECT_THAT(alerts_for("alert udp any any -> any 7 (flowbits:unset,x; sid:1;)\n"), ElementsAre(4));
}

TEST(scopes, rules_that_set_flowbits_alone_alert_once) {
  EXPECT_THAT(alerts_for("alert udp any any -> any 7 (flowbits:set,x; flowbits:set,y; sid:1;)\n"
                         "alert udp any any -> any any (flowbits:isset,y; sid:2;)\n"),
              ElementsAre(1, 6));
}

constexpr char evil[] = "alert ip any any -> any any (content:\"evil\"; sid:2;)\n";

TEST(scopes, rules_of_addresses_and_ports_pass_the_flow) {
  for (auto const* const pass :
       {"pass ip 10.0.0.1 any -> any any (sid:1;)\n", "pass ip !10.0.0.2 any -> any 7 (sid:1;)\n",
        "pass udp any any -> any 7 (flowbits:set,x; sid:1;)\n"}) {
    EXPECT_THAT(alerts_for(std::string{pass} + evil), ElementsAre(0, 0)) << pass;
  }
}

TEST(scopes, a_rule_for_packets_passes_one_packet) {
  flow_of_udp flow{std::string{"pass udp any any -> any any (content:\"good\"; sid:1;)\n"} + evil};
  EXPECT_THAT(flow.there("good evil"), IsEmpty());
  EXPECT_THAT(flow.there("evil"), ElementsAre(2));
}

TEST(scopes, rules_for_streams_and_messages_pass_the_connection) {
  for (auto const* const pass : {"pass tcp any any -> any any (flow:to_server; content:\"GET\"; sid:1;)\n",
                                 "pass tcp any any -> any any (flow:to_server; content:\"GET\"; depth:3; sid:1;)\n",
                                 "pass http any any -> any any (http.host; content:\"trusted\"; sid:1;)\n"}) {
    conversation all{std::string{pass} + evil +
                     "alert http any any -> any any (file.data; content:\"evil\"; sid:3;)\n"};
    EXPECT_THAT(all.client("GET /evil HTTP/1.1\r\nHost: trusted\r\n\r\n"), IsEmpty()) << pass;
    EXPECT_THAT(all.server("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"), IsEmpty()) << pass;
    EXPECT_THAT(all.client("GET /evil HTTP/1.1\r\n"), IsEmpty()) << pass;
    all.begin(4001);
    EXPECT_THAT(all.client("evil"), ElementsAre(2)) << "another connection";
    all.begin(4000);
    EXPECT_THAT(all.client("evil"), ElementsAre(2)) << "another connection of the same ports";
  }
}

TEST(scopes, a_rule_for_single_segments_passes_one_of_them) {
  conversation all{std::string{"pass tcp-pkt any any -> any any (content:\"GET\"; sid:1;)\n"} + evil};
  EXPECT_THAT(all.client("GET evil"), IsEmpty());
  EXPECT_THAT(all.server("evil"), ElementsAre(2));
}

}  // namespace
}  // namespace packetwarp::inspect
