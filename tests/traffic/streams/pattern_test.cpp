// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/streams/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traffic/usage_text.h"

namespace packetwarp::traffic {
namespace {

using test::usage_text;
using testing::AllOf;
using testing::HasSubstr;

std::string refusal(std::string_view text) {
  return usage_text([&] { (void)parse_pattern(text); });
}

TEST(pattern, without_text_is_one_flow) {
  EXPECT_EQ(parse_pattern(""), pattern{});
  EXPECT_EQ(parse_pattern("").flows, 1U);
}

TEST(pattern, has_a_flow_for_each_combination_of_values) {
  EXPECT_EQ(parse_pattern("udp.sport=1000..1999").flows, 1000U);
  EXPECT_EQ(parse_pattern("udp.sport=1..10,ipv4.src=10.0.0.1..10.0.0.25").flows, 250U);
  EXPECT_EQ(parse_pattern("vlan.id=5").flows, 1U);
}

TEST(pattern, is_bounded_where_no_number_of_flows_is_asked_for) {
  EXPECT_EQ(parse_pattern("ipv4.src=0.0.0.0..255.255.255.255,ipv4.dst=0.0.0.0..255.255.255.255").flows,
            pattern::most_flows_unasked);
  EXPECT_EQ(parse_pattern("ipv4.src=0.0.0.0..255.255.255.255,flows=4294967296").flows, pattern::most_flows);
}

TEST(pattern, is_read_back_as_it_was) {
  for (char const* const text :
       {"", "flows=7", "eth.src=02:00:00:00:00:00..02:00:00:00:ff:ff:random", "eth.dst=02:00:00:00:00:09",
        "vlan.id=0..4095:step", "ipv6.src=2001:db8::..2001:db8::ffff,ipv6.dst=::1", "tcp.sport=1..2,tcp.dport=0..65535",
        "udp.sport=0x10..0x20:random,udp.dport=53,icmp.id=9,flows=5000"}) {
    pattern const parsed = parse_pattern(text);
    EXPECT_EQ(parse_pattern(to_text(parsed)), parsed) << text;
  }
}

TEST(pattern, names_the_column_and_what_is_allowed) {
  EXPECT_THAT(refusal("udp.port=1"),
              AllOf(HasSubstr("column 1"), HasSubstr("udp.sport udp.dport"), HasSubstr("found 'udp.port'")));
  EXPECT_THAT(refusal("udp.sport=2..1"), AllOf(HasSubstr("column 14"), HasSubstr("not below the first")));
  EXPECT_THAT(refusal("udp.sport=1..65536"), HasSubstr("0 to 65535"));
  EXPECT_THAT(refusal("vlan.id=4096"), HasSubstr("0 to 4095"));
  EXPECT_THAT(refusal("ipv4.src=10.0.0.1:"), HasSubstr("column 19: expected step or random, found the end"));
  EXPECT_THAT(refusal("ipv4.src=10.0.0:rand"), HasSubstr("column 10: expected an IPv4 address"));
  EXPECT_THAT(refusal("udp.sport=1..5:foo,flows=2"), HasSubstr("column 16: expected step or random, found 'foo'"));
  EXPECT_THAT(refusal("udp.sport=1:foo"), HasSubstr("column 13: expected step or random, found 'foo'"));
  EXPECT_THAT(refusal("udp.sport=1..x:foo"), HasSubstr("column 14: expected a number from 0 to 65535"));
  EXPECT_THAT(refusal("ipv6.src=::1..::9:foo"), HasSubstr("column 19: expected step or random, found 'foo'"));
  EXPECT_THAT(refusal("eth.src=02:00:00:00:00:01:foo"), HasSubstr("column 27: expected step or random, found 'foo'"));
  EXPECT_THAT(refusal("ipv6.src=::1..1::1"), HasSubstr("first 64 bits"));
  EXPECT_THAT(refusal("ipv6.src=::0..::1:0:0"), HasSubstr("at most 4294967296 values"));
  EXPECT_THAT(refusal("udp.sport=1,udp.sport=2"), HasSubstr("not named yet"));
  EXPECT_THAT(refusal("flows=0"), HasSubstr("from 1 to"));
  EXPECT_THAT(refusal("udp.sport=1,"), HasSubstr("found the end"));
}

TEST(bound_range, refuses_fields_of_layers_that_the_template_has_not) {
  packet_template udp = parse_template("udp");
  for (char const* const text : {"vlan.id=1", "ipv6.src=::1", "tcp.sport=1", "icmp.id=1"}) {
    field_range const range = parse_pattern(text).ranges.front();
    EXPECT_THAT(usage_text([&] { (void)bound_range{range, udp}; }), HasSubstr("has no such layer")) << text;
  }
}

TEST(bound_range, draws_random_values_within_the_range_and_by_the_seed) {
  packet_template udp = parse_template("udp");
  bound_range const range{parse_pattern("udp.sport=1000..1009:random").ranges.front(), udp};
  unsigned seen = 0;
  unsigned differs = 0;
  for (std::uint64_t flow = 0; flow < 1000; ++flow) {
    std::uint64_t const value = range.random_value(1, flow);
    ASSERT_GE(value, 1000U);
    ASSERT_LE(value, 1009U);
    seen |= 1U << (value - 1000);
    EXPECT_EQ(value, range.random_value(1, flow));
    if (value != range.random_value(2, flow)) ++differs;
  }
  EXPECT_EQ(seen, 0x3ffU);
  EXPECT_GT(differs, 500U);
}

}  // namespace
}  // namespace packetwarp::traffic
