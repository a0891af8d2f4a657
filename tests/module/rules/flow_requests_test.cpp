// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/flow_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "base/error.h"
#include "module/rules/rules_of_nics.h"

namespace packetwarp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::StartsWith;

constexpr auto counting = "flow create 0 ingress pattern eth / ipv4 / end actions count / drop / end\n";

TEST_F(rules_of_nics, are_asked_for_a_count_one_by_one) {
  start(rules_on::automatic, drop_source(1, 1) + counting);
  nic().hits = 7;
  EXPECT_THAT(query_flow(*tables_, flow::parse_command("flow query 0 1 count")), HasSubstr("hits: 7"));
  EXPECT_EQ(nic().queries, 1u);
  EXPECT_THROW((void)query_flow(*tables_, flow::parse_command("flow query 0 0 count")), usage_error);
  EXPECT_THROW((void)query_flow(*tables_, flow::parse_command("flow query 0 9 count")), usage_error);
}

TEST_F(rules_of_nics, are_listed_a_few_at_a_time) {
  std::string text;
  for (unsigned n = 0; n < 200; ++n) {
    text += "flow create 0 priority " + std::to_string(200 - n) + " ingress pattern eth / ipv4 src is 10.0.0." +
            std::to_string(n) + " / end actions count / drop / end\n";
  }
  start(rules_on::automatic, text);
  nic().hits = 7;
  auto work = list_flow(*tables_, flow::parse_command("flow list 0"));
  std::optional<std::string> answer;
  unsigned steps = 0;
  for (; !answer; ++steps) {
    auto const before = nic().queries;
    answer = work();
    EXPECT_THAT(nic().queries - before, Le(64u));
  }
  EXPECT_EQ(steps, 4u);
  EXPECT_EQ(nic().queries, 200u);
  auto const table = parse_answer(*answer).result.at("text").get<std::string>();
  EXPECT_THAT(table,
              StartsWith("ID\tGroup\tPrio\tAttr\tSite\tHits\tRule\n199\t0\t1\ti--\tnic\t7\tETH IPV4 => COUNT DROP\n"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 201);
}

TEST_F(rules_of_nics, are_listed_as_they_are_in_the_end) {
  std::string many;
  for (unsigned n = 0; n < 100; ++n) many += drop_source(1, n);
  start(rules_on::automatic, many);
  auto work = list_flow(*tables_, flow::parse_command("flow list 0"));
  EXPECT_FALSE(work().has_value());
  change_to(drop_source(1, 1));
  auto const table = parse_answer(work().value()).result.at("text").get<std::string>();
  EXPECT_EQ(table, "ID\tGroup\tPrio\tAttr\tSite\tHits\tRule\n0\t0\t1\ti--\tnic\t-\tETH IPV4 => DROP\n");
}

TEST_F(rules_of_nics, are_validated_beside_the_master) {
  start(rules_on::nic, "");
  auto const validated = [&](std::string const& command) {
    auto work = validate_flow(*tables_, flow::parse_command(command));
    std::optional<std::string> answer;
    while (!(answer = work())) std::this_thread::sleep_for(std::chrono::microseconds{100});
    return parse_answer(*answer).result.at("text").get<std::string>();
  };
  EXPECT_EQ(validated("flow validate 0 priority 3 ingress pattern eth / ipv4 / end actions drop / end"),
            "Flow rule validated\n");
  EXPECT_THAT(told_, ElementsAre("old validate 3"));
  nic().refused_items = {RTE_FLOW_ITEM_TYPE_IPV4};
  EXPECT_THROW((void)validated("flow validate 0 priority 3 ingress pattern eth / ipv4 / end actions drop / end"),
               usage_error);
}

// From a file it is the same, after the file's line.
TEST_F(rules_of_nics, that_are_validated_and_wrong_have_no_number) {
  start(rules_on::cpu, drop_source(0, 1));
  auto const refusal = [&](std::string const& command) -> std::string {
    auto work = validate_flow(*tables_, flow::parse_command(command));
    try {
      while (!work()) std::this_thread::sleep_for(std::chrono::microseconds{100});
    } catch (usage_error const& wrong) {
      return wrong.what();
    }
    return {};
  };
  EXPECT_THAT(refusal("flow validate 0 ingress pattern eth / end actions dec_ttl / drop / end"),
              StartsWith("flow validate: action dec_ttl needs ipv4 or ipv6 in the pattern"));
  EXPECT_THAT(refusal("flow validate 0 pattern eth / end actions drop / end"),
              StartsWith("flow validate: it has no direction"));
}

}  // namespace
}  // namespace packetwarp
