// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traffic/streams/template.h"
#include "traffic/usage_text.h"

namespace packetwarp::traffic {
namespace {

using test::usage_text;
using testing::AllOf;
using testing::HasSubstr;

std::string refusal_of(std::string_view text) {
  return usage_text([&] { (void)parse_template(text, "--stream"); });
}

TEST(template_text, says_every_value) {
  EXPECT_EQ(to_text(parse_template("udp")),
            "eth(src=02:00:00:00:00:01,dst=02:00:00:00:00:02)/ipv4(src=10.0.0.1,dst=10.0.0.2,ttl=64,dscp=0,id=1)/"
            "udp(sport=1000,dport=2000)");
}

TEST(template_text, is_read_back_as_it_was) {
  for (char const* const text :
       {"udp", "tcp", "icmp", "udp6", "vlan", "eth/vlan/vlan/vlan/vlan/ipv6()/icmp", "ipv4/tcp(flags=FSRPAUEC)",
        "ipv4/tcp(flags=,seq=4294967295,ack=7,window=0)", "vlan(id=4095,prio=7,type=0x88a8)/ipv4/udp(sport=0)",
        "ipv6(src=::,dst=ff02::1,hlim=0,tc=255,fl=0xfffff)/udp", "ipv4(dscp=63,id=65535,ttl=0)/icmp(id=1,seq=65535)"}) {
    packet_template const parsed = parse_template(text);
    EXPECT_EQ(parse_template(to_text(parsed)), parsed) << text;
  }
}

TEST(template_text, tells_values_apart) {
  EXPECT_NE(parse_template("udp"), parse_template("tcp"));
  EXPECT_NE(parse_template("ipv4/udp(dport=1)"), parse_template("ipv4/udp(dport=2)"));
  EXPECT_NE(parse_template("vlan/ipv4/udp"), parse_template("vlan/vlan/ipv4/udp"));
}

TEST(template_text, names_the_option_the_column_and_what_is_allowed) {
  EXPECT_THAT(refusal_of("ipv4/sctp"),
              AllOf(HasSubstr("--stream \"ipv4/sctp\""), HasSubstr("column 6"), HasSubstr("udp, tcp or icmp")));
  EXPECT_THAT(refusal_of("ipv4(source=10.0.0.1)/udp"), AllOf(HasSubstr("column 6"), HasSubstr("src=, dst=, ttl=")));
  EXPECT_THAT(refusal_of("ipv4(src=10.0.0)/udp"), AllOf(HasSubstr("column 10"), HasSubstr("an IPv4 address")));
  EXPECT_THAT(refusal_of("vlan(id=4096)/ipv4/udp"), HasSubstr("0 to 4095"));
  EXPECT_THAT(refusal_of("ipv4/tcp(flags=X)"), HasSubstr("FSRPAUEC"));
}

TEST(template_text, refuses_layers_that_are_missing_out_of_order_or_too_many) {
  EXPECT_THAT(refusal_of(""), HasSubstr("found the end"));
  EXPECT_THAT(refusal_of("ipv4"), HasSubstr("expected '/'"));
  EXPECT_THAT(refusal_of("ipv4/udp/udp"), HasSubstr("expected the end"));
  EXPECT_THAT(refusal_of("ipv4/vlan/udp"), HasSubstr("udp, tcp or icmp"));
  EXPECT_THAT(refusal_of("vlan/eth/ipv4/udp"), HasSubstr("vlan, ipv4 or ipv6"));
  EXPECT_THAT(refusal_of("vlan/vlan/vlan/vlan/vlan/ipv4/udp"), HasSubstr("at most 4"));
  EXPECT_THAT(refusal_of("ipv4(src=10.0.0.1/udp"), HasSubstr("an IPv4 address"));
  EXPECT_THAT(refusal_of("ipv4(ttl=1,)/udp"), HasSubstr("expected src=, dst=, dscp=, id= of ipv4, the ones not given"));
  EXPECT_THAT(refusal_of("ipv4)/udp"), HasSubstr("column 5: expected '/' or '(', found ')'"));
  EXPECT_THAT(refusal_of("ipv4(ttl=1))/udp"), HasSubstr("column 12: expected '/', found ')'"));
  EXPECT_THAT(refusal_of("ipv4/udp)"), HasSubstr("column 9: expected the end, found ')'"));
}

TEST(template_text, refuses_a_parameter_that_is_given_twice) {
  EXPECT_THAT(refusal_of("ipv4(ttl=1,ttl=9)/udp"),
              HasSubstr("column 12: expected src=, dst=, dscp=, id= of ipv4, the ones not given yet, found 'ttl'"));
  EXPECT_THAT(refusal_of("ipv4/udp(sport=1,dport=2,sport=1)"),
              HasSubstr("column 26: expected ')', because all parameters of udp are given, found 'sport'"));
  EXPECT_EQ(parse_template("vlan(id=1)/vlan(id=2)/ipv4/udp").vlans.size(), 2U);
}

TEST(template_text, stays_one_printable_line_whatever_was_typed) {
  std::string const line = refusal_of("ipv4\n/udp\x01\xff");
  for (char const c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
}

TEST(template_help, names_every_layer_and_preset) {
  for (char const* const word : {"eth(", "vlan(", "ipv4(", "ipv6(", "udp(", "tcp(", "icmp(", "udp6"}) {
    EXPECT_THAT(template_help(), HasSubstr(word));
  }
}

}  // namespace
}  // namespace packetwarp::traffic
