// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Flows and fragments of a capture with VLAN tags, and the other fields of alerts, as Suricata 7.0.10 has them.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "fixtures/packet_builder.h"
#include "inspect/made_rules.h"
#include "inspect/packet/eve_line.h"
#include "inspect/packet/inspector.h"

namespace packetwarp::inspect {
namespace {

using test::packet_builder;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char once_per_flow[] = "alert udp any any -> any any (sid:1;)\n";

class seen_by_rules {
 public:
  explicit seen_by_rules(std::string const& text)
      : rules_{rules_of(text)}, compiled_{compile_rules(rules_)}, inspector_{compiled_, rules_.rules.size(), {1, 3}} {}

  std::vector<nlohmann::json> see(test::bytes const& frame) {
    std::vector<nlohmann::json> lines;
    for (auto const& one : inspector_.inspect(frame, static_cast<std::uint32_t>(frame.size()), 1'000'000'000))
      lines.push_back(nlohmann::json::parse(alert_line(rules_, one)));
    return lines;
  }
  [[nodiscard]] inspector const& state() const { return inspector_; }

 private:
  rule_set rules_;
  ruleset compiled_;
  inspector inspector_;
};

[[nodiscard]] test::bytes datagram_in(std::vector<unsigned> const& vlans, bool is_back = false) {
  packet_builder made;
  made.eth();
  for (auto const one : vlans) made.vlan(one);
  return is_back ? made.ipv4("10.0.0.2", "10.0.0.1").udp(7, 1000).build()
                 : made.ipv4("10.0.0.1", "10.0.0.2").udp(1000, 7).build();
}

TEST(vlans, have_flows_of_their_own) {
  seen_by_rules all{once_per_flow};
  EXPECT_EQ(all.see(datagram_in({})).size(), 1U);
  auto const of_five = all.see(datagram_in({5}));
  ASSERT_EQ(of_five.size(), 1U);
  EXPECT_EQ(of_five[0]["vlan"], nlohmann::json({5}));
  EXPECT_THAT(all.see(datagram_in({5})), IsEmpty());
  EXPECT_EQ(all.see(datagram_in({6})).size(), 1U);
  auto const of_two = all.see(datagram_in({5, 7}));
  ASSERT_EQ(of_two.size(), 1U);
  EXPECT_EQ(of_two[0]["vlan"], nlohmann::json({5, 7}));
  EXPECT_EQ(all.see(datagram_in({7, 5})).size(), 1U);
  EXPECT_THAT(all.see(datagram_in({0})), IsEmpty()) << "a priority alone is of no VLAN";
  auto const answer = all.see(datagram_in({5}, true));
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(answer[0]["flow_id"], of_five[0]["flow_id"]);
  EXPECT_EQ(answer[0]["direction"], "to_client");
}

TEST(vlans, have_flowbits_of_their_own) {
  seen_by_rules all{
      "alert udp any any -> any 7 (dsize:0; flowbits:set,x; noalert; sid:1;)\n"
      "alert udp any any -> any any (flow:to_client; flowbits:isset,x; sid:2;)\n"
      "alert udp any any -> any any (flowbits:isnotset,x; sid:3;)\n"};
  EXPECT_THAT(all.see(datagram_in({5})), IsEmpty());
  EXPECT_EQ(all.see(datagram_in({6}, true)).at(0)["alert"]["signature_id"], 3);
  EXPECT_EQ(all.see(datagram_in({5}, true)).at(0)["alert"]["signature_id"], 2);
}

TEST(vlans, have_fragments_of_their_own) {
  seen_by_rules all{once_per_flow};
  auto const piece = [](unsigned vlan, bool is_last) {
    auto frame =
        packet_builder{}.eth().vlan(vlan).ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).payload(test::bytes(8)).build();
    constexpr std::size_t fragment_word = 14 + 4 + 6;
    frame[fragment_word] = is_last ? std::byte{0} : std::byte{0x20};
    frame[fragment_word + 1] = is_last ? std::byte{2} : std::byte{0};
    return frame;
  };
  (void)all.see(piece(5, false));
  (void)all.see(piece(6, true));
  EXPECT_EQ(all.state().fragments().counts().datagrams, 0U);
  (void)all.see(piece(5, true));
  EXPECT_EQ(all.state().fragments().counts().datagrams, 1U);
}

TEST(eve_line, has_suricatas_names_of_protocols) {
  EXPECT_EQ(protocol_text(1), "ICMP");
  EXPECT_EQ(protocol_text(2), "IGMP");
  EXPECT_EQ(protocol_text(6), "TCP");
  EXPECT_EQ(protocol_text(17), "UDP");
  EXPECT_EQ(protocol_text(47), "GRE");
  EXPECT_EQ(protocol_text(58), "IPv6-ICMP");
  EXPECT_EQ(protocol_text(89), "OSPF");
  EXPECT_EQ(protocol_text(132), "SCTP");
  EXPECT_EQ(protocol_text(143), "Ethernet");
  EXPECT_EQ(protocol_text(144), "144");
  EXPECT_EQ(protocol_text(255), "255");
}

TEST(eve_line, has_the_rules_metadata) {
  seen_by_rules all{
      "alert udp any any -> any any (metadata:created_at 2020_01_02, attack_target Client Endpoint, alone, tag a, tag "
      "b; "
      "metadata: tag c; sid:1;)\n"};
  auto const lines = all.see(datagram_in({}));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["alert"]["metadata"], nlohmann::json::parse(R"({"created_at": ["2020_01_02"],
      "attack_target": ["Client Endpoint"], "tag": ["a", "b", "c"]})"));
  seen_by_rules none{once_per_flow};
  EXPECT_FALSE(none.see(datagram_in({})).at(0)["alert"].contains("metadata"));
}

}  // namespace
}  // namespace packetwarp::inspect
