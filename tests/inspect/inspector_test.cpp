// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/inspector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

#include "fixtures/packet_builder.h"
#include "inspect/made_rules.h"
#include "inspect/packet/eve_line.h"
#include "wire/ipv4.h"

namespace packetwarp::inspect {
namespace {

using test::packet_builder;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr unsigned fin = 1;
constexpr unsigned syn = 2;
constexpr unsigned rst = 4;
constexpr unsigned psh = 8;
constexpr unsigned ack = 16;

[[nodiscard]] test::bytes bytes_of(std::string_view text) {
  auto const* first = reinterpret_cast<std::byte const*>(text.data());
  return {first, first + text.size()};
}

// Rules and the packets that they have seen.
class inspection {
 public:
  explicit inspection(std::string const& text, inspector_sizes sizes = {.flows = 1024, .rates = 1024})
      : rules_{rules_of(text)},
        compiled_{compile_rules(rules_)},
        inspector_{std::make_unique<inspector>(compiled_, rules_.rules.size(), hash_key{1, 3}, sizes)} {
    EXPECT_TRUE(rules_.problems.empty()) << rules_.problems.front();
  }

  // The sids of the packet's alerts.
  std::vector<std::uint32_t> see(test::bytes const& frame, std::uint64_t milliseconds = 0) {
    std::vector<std::uint32_t> sids;
    last_ = inspector_->inspect(frame, static_cast<std::uint32_t>(frame.size()), begin + milliseconds * 1'000'000);
    for (auto const& alert : last_) sids.push_back(rules_.rules[alert.rule].sid);
    return sids;
  }
  std::vector<std::uint32_t> from_client(unsigned flags, std::string const& payload = {}) {
    auto const made = packet_builder{}.eth().ipv4("10.0.0.1", "10.0.0.2").tcp(4000, 80, flags);
    return see(numbered(packet_builder{made}.payload(bytes_of(payload)).build(), flags));
  }
  std::vector<std::uint32_t> from_server(unsigned flags, std::string const& payload = {}) {
    auto const made = packet_builder{}.eth().ipv4("10.0.0.2", "10.0.0.1").tcp(80, 4000, flags);
    return see(numbered(packet_builder{made}.payload(bytes_of(payload)).build(), flags));
  }
  void shake_hands() {
    (void)from_client(syn);
    (void)from_server(syn | ack);
    (void)from_client(ack);
  }
  [[nodiscard]] inspector const& state() const { return *inspector_; }
  [[nodiscard]] rule_set const& rules() const { return rules_; }
  [[nodiscard]] std::vector<inspect_alert> const& last() const { return last_; }

 private:
  static constexpr std::uint64_t begin = 1'700'000'000'000'000'000;

  // A side's first byte has the number 2, and each segment begins with it.
  [[nodiscard]] static test::bytes numbered(test::bytes frame, unsigned flags) {
    constexpr std::size_t tcp_at = 14 + 20;
    frame[tcp_at + 7] = (flags & syn) != 0 ? std::byte{1} : std::byte{2};
    frame[tcp_at + 11] = (flags & ack) != 0 ? std::byte{2} : std::byte{0};
    return frame;
  }
  rule_set rules_;
  ruleset compiled_;
  std::unique_ptr<inspector> inspector_;
  std::vector<inspect_alert> last_;
};

[[nodiscard]] test::bytes udp(std::string const& payload, std::string const& from = "10.0.0.1", unsigned port = 53) {
  return packet_builder{}.eth().ipv4(from, "10.0.0.2").udp(4000, port).payload(bytes_of(payload)).build();
}

TEST(inspector, finds_a_content_of_any_length_in_any_case) {
  inspection all{
      "alert udp any any -> any 53 (content:\"LongEnoughLiteral\"; nocase; sid:1;)\n"
      "alert udp any any -> any 53 (content:\"sixsix\"; sid:2;)\nalert udp any any -> any 53 (content:\"four\"; "
      "sid:3;)\n"
      "alert udp any any -> any 53 (content:\"x\"; sid:4;)\n"};
  EXPECT_THAT(all.see(udp("..longenoughLITERAL")), ElementsAre(1));
  EXPECT_THAT(all.see(udp("sixsix")), ElementsAre(2, 4));
  EXPECT_THAT(all.see(udp("Sixsix four")), ElementsAre(3, 4));
  EXPECT_THAT(all.see(udp("fou")), IsEmpty());
}

TEST(inspector, compares_addresses_ports_and_protocols) {
  inspection all{
      "alert udp 10.0.0.0/30 any -> any 53 (content:\"abcd\"; sid:1;)\n"
      "alert udp any 53 <> any any (content:\"abcd\"; sid:2;)\nalert tcp any any -> any any (content:\"abcd\"; "
      "sid:3;)\n"
      "alert ip !10.0.0.1 any -> any any (content:\"abcd\"; sid:4;)\n"};
  EXPECT_THAT(all.see(udp("abcd")), ElementsAre(1, 2));
  EXPECT_THAT(all.see(udp("abcd", "10.0.0.9", 54)), ElementsAre(4));
}

TEST(inspector, ports_belong_to_packets_that_have_them) {
  inspection all{
      "alert ip any any -> any 443 (ttl:>0; sid:1;)\nalert ip any any -> any !443 (ttl:>0; sid:2;)\n"
      "alert ip any any -> any 0: (ttl:>0; sid:3;)\nalert icmp any 7 <> any any (ttl:>0; sid:4;)\n"
      "alert ip any any -> any any (ttl:>0; sid:5;)\nalert udp any any -> any 53 (ttl:>0; content:\"ab\"; sid:6;)\n"
      "alert ip 10.0.0.0/8 any -> any 443 (sid:7;)\nalert ip any Any -> any ANY (ttl:>0; sid:8;)\n"};
  EXPECT_THAT(all.see(udp("abcd", "10.0.0.1", 443)), testing::UnorderedElementsAre(1, 3, 5, 7, 8));
  EXPECT_THAT(all.see(udp("abcd")), testing::UnorderedElementsAre(2, 3, 5, 6, 8));
  auto const echo = packet_builder{}.eth().ipv4("10.0.0.1", "10.0.0.2").icmp_echo(1, 1).payload(bytes_of("abcd"));
  EXPECT_THAT(all.see(packet_builder{echo}.build()), testing::UnorderedElementsAre(5, 8)) << "no ports";
  auto fragment = udp("abcd", "10.0.0.1", 443);
  wire::ipv4_view const ip{fragment.data() + 14};
  ip.set_fragment_word(0x2000);
  ip.fill_checksum();
  EXPECT_THAT(all.see(fragment), testing::UnorderedElementsAre(5, 8));
  auto unsound = udp("abcd", "10.0.0.1", 443);
  unsound[14 + 20 + 5] = std::byte{3};  // UDP's length
  EXPECT_THAT(all.see(unsound), testing::UnorderedElementsAre(2, 3, 5, 8)) << "its ports are taken for 0";
}

TEST(inspector, tests_numbers_in_headers) {
  inspection all{
      "alert udp any any -> any any (dsize:4; sid:1;)\nalert udp any any -> any any (dsize:3<>5; sid:2;)\n"
      "alert udp any any -> any any (dsize:<4; sid:3;)\nalert udp any any -> any any (ttl:64; sid:4;)\n"
      "alert icmp any any -> any any (itype:8; icode:0; sid:5;)\n"};
  EXPECT_THAT(all.see(udp("abcd")), ElementsAre(1, 2, 4));
  EXPECT_THAT(all.see(udp("abc")), ElementsAre(3, 4));
  EXPECT_THAT(all.see(packet_builder{}.eth().ipv4("10.0.0.1", "10.0.0.2").icmp_echo(1, 1).build()), ElementsAre(5));
}

TEST(inspector, tests_tcp_flags) {
  inspection all{
      "alert tcp any any -> any any (flags:S; sid:1;)\nalert tcp any any -> any any (flags:SA; sid:2;)\n"
      "alert tcp any any -> any any (flags:A+; sid:3;)\nalert tcp any any -> any any (flags:*FR; sid:4;)\n"
      "alert tcp any any -> any any (flags:0; sid:5;)\nalert tcp any any -> any any (flags:S,CE; sid:6;)\n"};
  EXPECT_THAT(all.from_client(syn), ElementsAre(1, 6));
  EXPECT_THAT(all.from_client(syn | 0xc0), ElementsAre(6));
  EXPECT_THAT(all.from_server(syn | ack), ElementsAre(2, 3));
  EXPECT_THAT(all.from_server(rst | ack), ElementsAre(3, 4));
  EXPECT_THAT(all.from_client(0), ElementsAre(5));
}

TEST(inspector, follows_a_connection_and_knows_its_client) {
  inspection all{
      "alert tcp any any -> any any (flow:established,to_server; content:\"abcd\"; sid:1;)\n"
      "alert tcp any any -> any any (flow:established,to_client; content:\"abcd\"; sid:2;)\n"
      "alert tcp any any -> any any (flow:not_established; content:\"abcd\"; sid:3;)\n"};
  EXPECT_THAT(all.from_client(psh | ack, "abcd"), ElementsAre(3));
  EXPECT_THAT(all.from_client(rst), IsEmpty());
  all.shake_hands();
  EXPECT_THAT(all.from_client(psh | ack, "abcd"), ElementsAre(1));
  EXPECT_THAT(all.from_server(psh | ack, "abcd"), ElementsAre(2));
}

TEST(inspector, takes_udp_for_established_once_both_sides_have_sent) {
  inspection all{"alert udp any any -> any any (flow:established; content:\"abcd\"; sid:1;)\n"};
  EXPECT_THAT(all.see(udp("abcd")), IsEmpty());
  auto const answer =
      packet_builder{}.eth().ipv4("10.0.0.2", "10.0.0.1").udp(53, 4000).payload(bytes_of("abcd")).build();
  EXPECT_THAT(all.see(answer), ElementsAre(1));
  EXPECT_THAT(all.see(udp("abcd")), ElementsAre(1));
}

TEST(inspector, keeps_flowbits_by_flow_and_sets_them_before_it_tests_them) {
  inspection all{
      "alert udp any any -> any any (content:\"second\"; flowbits:isset,seen|other; sid:2;)\n"
      "alert udp any any -> any any (content:\"first\"; flowbits:set,seen; flowbits:noalert; sid:1;)\n"
      "alert udp any any -> any any (content:\"clear\"; flowbits:unset,seen; sid:3;)\n"
      "alert udp any any -> any any (content:\"never\"; flowbits:isnotset,seen; sid:4;)\n"};
  EXPECT_THAT(all.see(udp("second never")), ElementsAre(4));
  EXPECT_THAT(all.see(udp("first")), IsEmpty());
  EXPECT_THAT(all.see(udp("second never")), ElementsAre(2));
  EXPECT_THAT(all.see(udp("second", "10.0.0.7")), IsEmpty());
  EXPECT_THAT(all.see(udp("first second", "10.0.0.7")), ElementsAre(2));
  EXPECT_THAT(all.see(udp("clear")), ElementsAre(3));
  EXPECT_THAT(all.see(udp("second")), IsEmpty());
  EXPECT_EQ(all.state().by_rule()[1].matches, 2U);
  EXPECT_EQ(all.state().by_rule()[1].alerts, 0U);
}

TEST(inspector, keeps_alerts_back_by_rate) {
  inspection all{
      "alert udp any any -> any any (content:\"aaaa\"; threshold:type limit,track by_src,count 1,seconds 10; sid:1;)\n"
      "alert udp any any -> any any (content:\"bbbb\"; threshold:type threshold,track by_src,count 2,seconds 10; "
      "sid:2;)\n"
      "alert udp any any -> any any (content:\"cccc\"; threshold:type both,track by_dst,count 2,seconds 10; sid:3;)\n"
      "alert udp any any -> any any (content:\"dddd\"; detection_filter:track by_src,count 2,seconds 10; sid:4;)\n"};
  EXPECT_THAT(all.see(udp("aaaa bbbb cccc dddd"), 0), ElementsAre(1));
  EXPECT_THAT(all.see(udp("aaaa bbbb cccc dddd"), 1), ElementsAre(2, 3));
  EXPECT_THAT(all.see(udp("aaaa bbbb cccc dddd"), 2), ElementsAre(4));
  EXPECT_THAT(all.see(udp("aaaa bbbb cccc dddd"), 3), ElementsAre(2, 4));
  EXPECT_THAT(all.see(udp("aaaa bbbb", "10.0.0.9"), 4), ElementsAre(1));
  EXPECT_THAT(all.see(udp("aaaa"), 20'000), ElementsAre(1));
}

TEST(inspector, counts_both_directions_of_a_pair_of_addresses_together) {
  inspection all{
      "alert udp any any -> any any (content:\"a\"; threshold:type limit,track by_both,count 1,seconds 60; sid:1;)\n"
      "alert udp any any -> any any (content:\"a\"; detection_filter:track by_both,count 1,seconds 60; sid:2;)\n"};
  auto const answer = [](char const* from, char const* to) {
    return packet_builder{}.eth().ipv4(from, to).udp(53, 4000).payload(bytes_of("a")).build();
  };
  EXPECT_THAT(all.see(answer("10.0.0.1", "10.0.0.2")), ElementsAre(1));
  EXPECT_THAT(all.see(answer("10.0.0.2", "10.0.0.1")), ElementsAre(2));
  EXPECT_THAT(all.see(answer("10.0.0.3", "10.0.0.1")), ElementsAre(1));
}

TEST(inspector, a_rule_that_passes_a_packet_ends_its_inspection) {
  inspection all{
      "alert udp any any -> any any (content:\"abcd\"; sid:1;)\npass udp 10.0.0.9 any -> any any (content:\"cd\"; "
      "sid:2;)\n"};
  EXPECT_THAT(all.see(udp("abcd")), ElementsAre(1));
  EXPECT_THAT(all.see(udp("abcd", "10.0.0.9")), IsEmpty());
}

TEST(inspector, judges_a_rule_of_addresses_alone_once_per_direction_of_a_flow) {
  inspection all{"alert ip any any -> any any (sid:1;)\n"};
  EXPECT_THAT(all.see(udp("a")), ElementsAre(1));
  EXPECT_THAT(all.see(udp("a")), IsEmpty());
  EXPECT_THAT(all.see(packet_builder{}.eth().ipv4("10.0.0.2", "10.0.0.1").udp(53, 4000).payload(bytes_of("a")).build()),
              ElementsAre(1));
}

TEST(inspector, counts_a_packet_without_a_sound_ip_header) {
  inspection all{"alert ip any any -> any any (sid:1;)\n"};
  EXPECT_THAT(all.see(test::bytes(20)), IsEmpty());
  EXPECT_EQ(all.state().counts().without_ip, 1U);
}

TEST(inspector, counts_a_packet_with_more_extension_headers_than_are_read) {
  inspection all{"alert udp any any -> any 53 (sid:1;)\nalert ip any any -> any any (ttl:64; sid:2;)\n"};
  auto const with = [](unsigned extensions) {
    auto builder = packet_builder{}.eth().ipv6();
    for (unsigned n = 0; n < extensions; ++n) builder.destination_options();
    return builder.udp(4000, 53).payload(bytes_of("a")).build();
  };
  EXPECT_THAT(all.see(with(8)), ElementsAre(1, 2));
  EXPECT_EQ(all.state().counts().unread_extensions, 0U);
  EXPECT_THAT(all.see(with(9)), ElementsAre(2));
  EXPECT_EQ(all.state().counts().unread_extensions, 1U);
  auto const line = nlohmann::json::parse(stats_line(all.rules(), all.state()));
  EXPECT_EQ(line.at("stats").at("packets_with_unread_extensions"), 1);
}

TEST(inspector, a_connection_that_ended_begins_anew_without_its_flowbits) {
  inspection all{
      "alert tcp any any -> any any (flow:established; content:\"mark\"; flowbits:set,m; sid:1;)\n"
      "alert tcp any any -> any any (flow:established; content:\"test\"; flowbits:isset,m; sid:2;)\n"};
  all.shake_hands();
  EXPECT_THAT(all.from_client(psh | ack, "mark"), ElementsAre(1));
  EXPECT_THAT(all.from_client(fin | ack), IsEmpty());
  EXPECT_THAT(all.from_server(fin | ack), IsEmpty());
  all.shake_hands();
  EXPECT_THAT(all.from_client(psh | ack, "test"), IsEmpty());
}

// A DNS message of one question; flags: its third byte.
[[nodiscard]] test::bytes question(std::string_view labels, unsigned flags = 1) {
  auto message = test::to_bytes({0, 1, flags, 0, 0, 1, 0, 0, 0, 0, 0, 0});
  auto const name = bytes_of(labels);
  message.insert(message.end(), name.begin(), name.end());
  for (unsigned const byte : {0U, 0U, 1U, 0U, 1U}) message.push_back(static_cast<std::byte>(byte));
  return packet_builder{}.eth().ipv4("10.0.0.1", "10.0.0.2").udp(4000, 53).payload(message).build();
}

TEST(inspector, compares_the_name_that_dns_asks_for) {
  inspection all{
      "alert dns any any -> any any (dns.query; content:\"www.example.net\"; nocase; bsize:15; sid:1;)\n"
      "alert dns any any -> any any (dns.query; dotprefix; content:\".example.net\"; endswith; sid:2;)\n"
      "alert dns any any -> any any (dns.query; content:\"www.\"; startswith; content:!\"org\"; endswith; sid:3;)\n"
      "alert dns any any -> any any (dns.query; pcre:\"/^w+\\.e/\"; bsize:<12; sid:4;)\n"
      "alert dns any any -> any any (content:\"|03|www|07|example\"; sid:5;)\n"};
  EXPECT_THAT(all.see(question("\3wWw\7example\3net")), ElementsAre(1, 2));
  EXPECT_THAT(all.see(question("\3www\7example\3net")), ElementsAre(1, 2, 3, 5));
  EXPECT_THAT(all.see(question("\7example\3net")), ElementsAre(2));
  EXPECT_THAT(all.see(question("\3www\7example\3org")), ElementsAre(5));
  EXPECT_THAT(all.see(question("\3www\7exampl3")), ElementsAre(3, 4));
  EXPECT_THAT(all.see(question("\3www\7example\3net", 0x81)), ElementsAre(5));  // an answer
  EXPECT_THAT(all.see(question("\3www\xc0\x0c")), IsEmpty());
  auto cut = question("\3www\7example\3net");
  cut.pop_back();
  EXPECT_THAT(all.see(cut), IsEmpty()) << "a question whose class is cut";
  EXPECT_THAT(all.see(udp("www.example.net", "10.0.0.1", 54)), IsEmpty());
}

// A client's first message with this host name.
[[nodiscard]] test::bytes client_hello(std::string_view host) {
  auto made = test::to_bytes({22, 3, 1, 0, 99, 1, 0, 0, 95, 3, 3});
  made.resize(made.size() + 32);
  auto const size = static_cast<unsigned>(host.size());
  auto const rest = test::to_bytes(
      {2, 7, 7, 0, 2, 19, 1, 1, 0, 0, 99, 0, 10, 0, 2, 0, 0, 0, 0, 0, size + 5, 0, size + 3, 0, 0, size});
  made.insert(made.end(), rest.begin(), rest.end());
  auto const name = bytes_of(host);
  made.insert(made.end(), name.begin(), name.end());
  return made;
}

TEST(inspector, compares_the_name_that_a_tls_client_asks_for) {
  inspection all{
      "alert tls any any -> any any (flow:established,to_server; tls.sni; content:\"www.example.net\"; bsize:15; "
      "sid:1;)\n"
      "alert tls any any -> any any (tls.sni; dotprefix; content:\".example.net\"; endswith; sid:2;)\n"
      "alert tcp any any -> any any (tls.sni; content:!\"example\"; sid:3;)\n"};
  auto const hello = [&](test::bytes const& message) {
    return all.see(
        packet_builder{}.eth().ipv4("10.0.0.1", "10.0.0.2").tcp(4000, 443, psh | ack).payload(message).build());
  };
  EXPECT_THAT(hello(client_hello("www.example.net")), ElementsAre(2));  // the connection's begin was not seen
  EXPECT_THAT(hello(client_hello("example.net")), ElementsAre(2));
  EXPECT_THAT(hello(client_hello("www.example.org")), IsEmpty());
  EXPECT_THAT(hello(client_hello("other.org")), ElementsAre(3));
  auto cut = client_hello("example.net");
  cut.pop_back();
  EXPECT_THAT(hello(cut), IsEmpty());
  EXPECT_THAT(hello(bytes_of("www.example.net")), IsEmpty());
}

TEST(inspector, inspects_without_state_where_no_flow_has_a_place) {
  inspection all{
      "alert udp any any -> any any (content:\"abcd\"; sid:1;)\nalert udp any any -> any any (content:\"abcd\"; "
      "flow:to_server; sid:2;)\n",
      {.flows = 8, .rates = 8}};
  for (unsigned port = 1; port <= 8; ++port) EXPECT_THAT(all.see(udp("abcd", "10.0.0.1", port)), ElementsAre(1, 2));
  EXPECT_THAT(all.see(udp("abcd", "10.0.0.1", 9)), ElementsAre(1));
  EXPECT_EQ(all.state().counts().without_flow, 1U);
  EXPECT_THAT(all.see(udp("abcd", "10.0.0.1", 10), 10), ElementsAre(1, 2));  // the others are idle by now
}

TEST(inspector, alerts_where_no_threshold_has_a_place) {
  inspection all{
      "alert udp any any -> any any (content:\"abcd\"; threshold:type limit,track by_src,count 1,seconds 9; sid:1;)\n",
      {.flows = 8, .rates = 1}};
  EXPECT_THAT(all.see(udp("abcd")), ElementsAre(1));
  EXPECT_THAT(all.see(udp("abcd")), IsEmpty());
  EXPECT_THAT(all.see(udp("abcd", "10.0.0.9")), ElementsAre(1));
  EXPECT_THAT(all.see(udp("abcd", "10.0.0.9")), ElementsAre(1));
  EXPECT_EQ(all.state().rates_without_place(), 2U);
}

TEST(eve_line, has_the_fields_that_readers_of_suricata_expect) {
  inspection all{
      "alert udp any any -> any any (msg:\"seen\"; content:\"abcd\"; sid:7; rev:2; classtype:misc; priority:2;)\n"};
  EXPECT_THAT(all.see(udp("abcd")), ElementsAre(7));
  auto const line = nlohmann::json::parse(alert_line(all.rules(), all.last().at(0)));
  EXPECT_EQ(line["event_type"], "alert");
  EXPECT_EQ(line["timestamp"], "2023-11-14T22:13:20.000000+0000");
  EXPECT_EQ(line["src_ip"], "10.0.0.1");
  EXPECT_EQ(line["src_port"], 4000);
  EXPECT_EQ(line["dest_ip"], "10.0.0.2");
  EXPECT_EQ(line["dest_port"], 53);
  EXPECT_EQ(line["proto"], "UDP");
  EXPECT_EQ(line["direction"], "to_server");
  EXPECT_EQ(line["pcap_cnt"], 1);
  auto const& alert = line["alert"];
  EXPECT_EQ(alert["signature_id"], 7);
  EXPECT_EQ(alert["rev"], 2);
  EXPECT_EQ(alert["gid"], 1);
  EXPECT_EQ(alert["signature"], "seen");
  EXPECT_EQ(alert["category"], "misc");
  EXPECT_EQ(alert["severity"], 2);
  auto const stats = nlohmann::json::parse(stats_line(all.rules(), all.state()))["stats"];
  EXPECT_EQ(stats["packets"], 1);
  EXPECT_EQ(stats["by_rule"][0]["alerts"], 1);
}

}  // namespace
}  // namespace packetwarp::inspect
