// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "file/variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"

namespace packetwarp {
namespace {

using testing::HasSubstr;

variable_source pod(std::string name) {
  return {.environment = [](std::string const& of) -> std::optional<std::string> {
            static std::map<std::string, std::string> const all{
                {"POOL", "198.51.100.7"}, {"EMPTY", ""}, {"_a1", "${POOL}"}};
            auto const found = all.find(of);
            return found == all.end() ? std::nullopt : std::optional{found->second};
          },
          .pod = std::move(name)};
}

std::string expanded(std::string_view text, std::string const& of = "nat-1") { return expand_variables(text, pod(of)); }

std::string refusal(std::string_view text, std::string const& of = "nat-1") {
  try {
    return "accepted: " + expanded(text, of);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
}

TEST(variables, of_the_environment_are_replaced_once) {
  EXPECT_EQ(expanded("${POOL}"), "198.51.100.7");
  EXPECT_EQ(expanded("a ${POOL}-${POOL} z"), "a 198.51.100.7-198.51.100.7 z");
  EXPECT_EQ(expanded("${EMPTY}"), "");
  EXPECT_EQ(expanded("${_a1}"), "${POOL}");
  EXPECT_EQ(expanded("${EMPTY:-x}${NONE:-y:-z}${POOL:-w}${NONE:-}"), "xy:-z198.51.100.7");
}

TEST(variables, leave_other_text_alone) {
  for (auto const* text : {"", "$", "$POOL", "a$", "{POOL}", "$ {POOL}"}) EXPECT_EQ(expanded(text), text);
  EXPECT_EQ(expanded("$${POOL}"), "${POOL}");
  EXPECT_EQ(expanded("a$${x}b${POOL}"), "a${x}b198.51.100.7");
}

TEST(variables, that_are_not_set_or_no_variables_are_refused) {
  EXPECT_THAT(refusal("${NONE}"), HasSubstr("environment variable NONE is not set"));
  EXPECT_THAT(refusal("${NONE}"), HasSubstr("${NONE:-TEXT}"));
  EXPECT_THAT(refusal("x ${POOL"), HasSubstr("'${POOL': no '}'"));
  for (auto const* text : {"${}", "${a b}", "${1a}", "${ordinal-1}", "${ordinal+}", "${ordinal+x}"}) {
    EXPECT_THAT(refusal(text), HasSubstr("is no variable; there are ${NAME}")) << text;
  }
}

TEST(variables, have_no_variables_in_their_defaults) {
  for (auto const* text : {"${POOL:-${NONE}}", "${NONE:-${POOL}}", "${NONE:-a${POOL:-b}}", "${NONE:-$${POOL}}"}) {
    EXPECT_THAT(refusal(text), HasSubstr("a default is plain text, without variables; set ")) << text;
  }
  EXPECT_EQ(refusal("x${NONE:-${POOL}}"),
            "'${NONE:-${POOL}': a default is plain text, without variables; set NONE instead");
  EXPECT_EQ(expanded("${NONE:-$POOL}"), "$POOL");
}

TEST(variables, have_the_ordinal_at_the_end_of_the_pods_name) {
  EXPECT_EQ(expanded("10.0.0.${ordinal}/24", "nat-3"), "10.0.0.3/24");
  EXPECT_EQ(expanded("${ordinal+10}", "a-2-0"), "10");
  EXPECT_EQ(expanded("${ordinal+0}", "a-17"), "17");
  for (auto const* name : {"", "nat", "nat-", "nat-x", "nat-3x", "7d9f-zk2lp"}) {
    EXPECT_THAT(refusal("${ordinal}", name), HasSubstr("ends in no ordinal")) << name;
  }
}

TEST(variables, give_each_ordinal_a_block_of_its_own) {
  EXPECT_EQ(expanded("${block /26 of 203.0.113.0/24}", "nat-0"), "203.0.113.0/26");
  EXPECT_EQ(expanded("${block /26 of 203.0.113.0/24}", "nat-3"), "203.0.113.192/26");
  EXPECT_EQ(expanded("${block /32 of 203.0.113.0/24}", "nat-255"), "203.0.113.255/32");
  EXPECT_EQ(expanded("${block /24 of 203.0.113.0/24}", "nat-0"), "203.0.113.0/24");
  EXPECT_EQ(expanded("${block /1 of 0.0.0.0/0}", "nat-1"), "128.0.0.0/1");
  EXPECT_EQ(expanded("${block /0 of 0.0.0.0/0}", "nat-0"), "0.0.0.0/0");
  EXPECT_EQ(expanded("${block /64 of 2001:db8::/48}", "nat-258"), "2001:db8:0:102::/64");
  EXPECT_EQ(expanded("${block /56 of 2001:db8::/48}", "nat-2"), "2001:db8:0:200::/56");
  EXPECT_EQ(expanded("${block /128 of 2001:db8::/64}", "nat-4000000000"), "2001:db8::ee6b:2800/128");
  EXPECT_EQ(expanded("${block /80 of 2001:db8::/48}", "nat-65537"), "2001:db8:0:1:1::/80");
}

TEST(variables, have_no_block_beyond_the_prefix) {
  EXPECT_EQ(refusal("${block /26 of 203.0.113.0/24}", "nat-4"),
            "203.0.113.0/24 has 4 blocks of /26, and the pod's ordinal is 4: give a wider prefix or smaller blocks, or "
            "set spec.replicas to 4 or less");
  for (auto const* words :
       {"/23 of 203.0.113.0/24", "/33 of 203.0.113.0/24", "26 of 203.0.113.0/24", "/26 203.0.113.0/24",
        "/26 of 203.0.113.1/24", "/26 of 203.0.113.0", "/x of 203.0.113.0/24", "/26 of "}) {
    EXPECT_THAT(refusal("${block " + std::string{words} + "}"), HasSubstr("a block is '/LENGTH of PREFIX'")) << words;
  }
}

}  // namespace
}  // namespace packetwarp
