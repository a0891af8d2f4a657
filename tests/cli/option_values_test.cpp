// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/option_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traffic/usage_text.h"

namespace packetwarp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr port_id p(std::uint16_t n) { return port_id{n}; }

TEST(port_map, is_pairs_of_ports) {
  EXPECT_THAT(parse_port_map("(0,1)(2,3)"), ElementsAre(Pair(p(0), p(1)), Pair(p(2), p(3))));
  EXPECT_THAT(parse_port_map("(7,7)"), ElementsAre(Pair(p(7), p(7))));
}

TEST(port_map, is_refused_with_the_column_where_it_goes_wrong) {
  auto const refusal = [](std::string const& text) { return test::usage_text([&] { (void)parse_port_map(text); }); };
  EXPECT_THAT(refusal(""), HasSubstr("column 1"));
  EXPECT_THAT(refusal("(0,1"), HasSubstr("column 5"));
  EXPECT_THAT(refusal("(0;1)"), HasSubstr("column 3"));
  EXPECT_THAT(refusal("(0,1)x"), HasSubstr("column 6"));
  EXPECT_THAT(refusal("(0,99999)"), HasSubstr("column 4"));
}

TEST(ports, are_numbers_and_ranges_or_none) {
  EXPECT_THAT(parse_ports("3", "x"), ElementsAre(p(3)));
  EXPECT_THAT(parse_ports("0,2-4", "x"), ElementsAre(p(0), p(2), p(3), p(4)));
  EXPECT_THAT(parse_ports("none", "x"), IsEmpty());
}

TEST(ports, are_refused_with_the_column_where_they_go_wrong) {
  auto const refusal = [](std::string const& text) {
    return test::usage_text([&] { (void)parse_ports(text, "--tx-ports"); });
  };
  EXPECT_THAT(refusal(""), HasSubstr("--tx-ports: '' is wrong at column 1"));
  EXPECT_THAT(refusal("1,"), HasSubstr("column 3"));
  EXPECT_THAT(refusal("4-2"), HasSubstr("is wrong"));
  EXPECT_THAT(refusal("1 2"), HasSubstr("column 2"));
}

TEST(take_count, leaves_what_was_there_when_nothing_is_given) {
  unsigned value = 5;
  take_count(std::nullopt, "-x", 1, 9, value);
  EXPECT_EQ(value, 5U);
  take_count(std::optional<std::string>{"9"}, "-x", 1, 9, value);
  EXPECT_EQ(value, 9U);
  EXPECT_THAT(test::usage_text([&] { take_count(std::optional<std::string>{"10"}, "-x", 1, 9, value); }),
              HasSubstr("-x: 10 is out of range; allowed are 1 to 9"));
}

}  // namespace
}  // namespace packetwarp
