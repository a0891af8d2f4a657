// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/compile/overlap.h"

#include <gtest/gtest.h>

#include "flow/parser.h"
#include "module/rules/rules_bed.h"

namespace packetwarp::flow {
namespace {

rules_input made_of(std::string_view pattern) {
  auto const line = "flow create 0 ingress pattern " + std::string{pattern} + " / end actions drop / end";
  return compile_rule(port_id{0}, std::get<create_rule>(parse_command(line).what).what, test::rules_bed::queues());
}

// Both ways round, with the same result.
bool meet(std::string_view a, std::string_view b) {
  rules_input const both[] = {made_of(a), made_of(b)};
  overlap_index one{both}, other{both};
  one.add(both[0], 5);
  other.add(both[1], 5);
  EXPECT_FALSE(one.meets(both[1], 4)) << "another label";
  EXPECT_EQ(one.meets(both[1], 5), other.meets(both[0], 5));
  return one.meets(both[1], 5);
}

TEST(overlap_index, compares_the_bits_that_both_look_at) {
  EXPECT_TRUE(meet("eth", "eth"));
  EXPECT_TRUE(meet("eth / ipv4 src is 10.0.0.1", "eth / ipv4 dst is 10.0.0.1"));
  EXPECT_FALSE(meet("eth / ipv4 src is 10.0.0.1", "eth / ipv4 src is 10.0.0.2"));
  EXPECT_TRUE(meet("eth / ipv4 src is 10.0.0.1", "eth / ipv4 src spec 10.0.0.7 src prefix 24"));
  EXPECT_FALSE(meet("eth / ipv4 src is 10.0.1.1", "eth / ipv4 src spec 10.0.0.7 src prefix 24"));
  EXPECT_FALSE(meet("udp src is 1 dst is 2", "udp src is 1 dst is 3"));
  EXPECT_TRUE(meet("udp src is 1", "udp dst is 3"));
}

TEST(overlap_index, knows_headers_that_exclude_each_other) {
  EXPECT_FALSE(meet("ipv4", "ipv6"));
  EXPECT_FALSE(meet("udp", "tcp"));
  EXPECT_FALSE(meet("eth / ipv4 / icmp", "udp"));
  EXPECT_TRUE(meet("ipv6", "udp"));
  EXPECT_FALSE(meet("eth has_vlan is 0", "eth / vlan"));
  EXPECT_TRUE(meet("eth", "eth / vlan vid is 5"));
}

TEST(overlap_index, takes_a_range_as_any_value) {
  EXPECT_TRUE(meet("udp src spec 1 src last 5", "udp src is 9"));
  EXPECT_FALSE(meet("udp src spec 1 src last 5 dst is 1", "udp src is 3 dst is 2"));
}

TEST(overlap_index, counts_shapes_and_not_rules) {
  rules_input const rules[] = {made_of("udp src is 1"), made_of("udp src is 2"), made_of("udp dst is 1")};
  EXPECT_EQ(overlap_index{rules}.shapes(), 2u);
}

}  // namespace
}  // namespace packetwarp::flow
