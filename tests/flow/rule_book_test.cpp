// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "flow/rule_book.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "flow/parser.h"

namespace packetwarp::flow {
namespace {

std::string apply(rule_book& book, std::string_view line) { return book.apply(parse_command(line)); }

constexpr char const* drop_all = "flow create 0 ingress pattern eth / end actions drop / end";

TEST(rule_book, numbers_rules_of_each_port_from_the_latest_it_has) {
  rule_book book;
  EXPECT_EQ(apply(book, drop_all), "Flow rule #0 created\n");
  EXPECT_EQ(apply(book, drop_all), "Flow rule #1 created\n");
  EXPECT_EQ(apply(book, "flow create 1 ingress pattern eth / end actions drop / end"), "Flow rule #0 created\n");
  EXPECT_EQ(apply(book, "flow destroy 0 rule 0"), "Flow rule #0 destroyed\n");
  EXPECT_EQ(apply(book, drop_all), "Flow rule #2 created\n");
  EXPECT_EQ(apply(book, "flow destroy 0 rule 1 rule 2"), "Flow rule #1 destroyed\nFlow rule #2 destroyed\n");
  EXPECT_EQ(apply(book, drop_all), "Flow rule #0 created\n");
}

TEST(rule_book, validates_without_creating) {
  rule_book book;
  EXPECT_EQ(apply(book, "flow validate 0 ingress pattern eth / end actions drop / end"), "Flow rule validated\n");
  EXPECT_TRUE(book.rules_of(port_id{0}).empty());
}

TEST(rule_book, destroys_all_rules_that_are_named_or_none) {
  rule_book book;
  (void)apply(book, drop_all);
  EXPECT_THROW((void)apply(book, "flow destroy 0 rule 0 rule 1"), usage_error);
  EXPECT_THROW((void)apply(book, "flow destroy 0 rule 0 rule 0"), usage_error);
  EXPECT_EQ(book.rules_of(port_id{0}).size(), 1u);
  EXPECT_THROW((void)apply(book, "flow query 0 1 count"), usage_error);
}

TEST(rule_book, lists_by_group_priority_and_number) {
  rule_book book;
  EXPECT_EQ(apply(book, "flow list 0"), "");
  (void)apply(book,
              "flow create 0 priority 2 ingress pattern eth / void / ipv4 / end actions void / queue index 0 / end");
  (void)apply(book, "flow create 0 group 1 egress pattern eth / end actions drop / end");
  (void)apply(book, "flow create 0 ingress transfer pattern eth / any / end actions set_tp_src port 1 / end");
  EXPECT_EQ(apply(book, "flow list 0"),
            "ID\tGroup\tPrio\tAttr\tRule\n"
            "2\t0\t0\ti-t\tETH ANY => SET_TP_SRC\n"
            "0\t0\t2\ti--\tETH IPV4 => QUEUE\n"
            "1\t1\t0\t-e-\tETH => DROP\n");
  EXPECT_EQ(apply(book, "flow list 0 group 1"), "ID\tGroup\tPrio\tAttr\tRule\n1\t1\t0\t-e-\tETH => DROP\n");
  EXPECT_EQ(apply(book, "flow flush 0"), "");
  EXPECT_EQ(apply(book, "flow list 0"), "");
}

TEST(rule_book, isolates_ports) {
  rule_book book;
  EXPECT_FALSE(book.is_isolated(port_id{1}));
  EXPECT_EQ(apply(book, "flow isolate 1 on"),
            "Ingress traffic on port 1 is now restricted to the defined flow rules\n");
  EXPECT_TRUE(book.is_isolated(port_id{1}));
  EXPECT_EQ(book.ports(), std::vector<port_id>{port_id{1}});
  (void)apply(book, "flow isolate 1 off");
  EXPECT_FALSE(book.is_isolated(port_id{1}));
}

}  // namespace
}  // namespace packetwarp::flow
