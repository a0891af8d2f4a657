// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/streams/size_mix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "traffic/usage_text.h"

namespace packetwarp::traffic {
namespace {

using test::usage_text;
using testing::AllOf;
using testing::HasSubstr;

std::map<unsigned, unsigned> count_sizes(size_mix const& sizes, std::uint64_t packets) {
  std::map<unsigned, unsigned> counts;
  for (std::uint64_t i = 0; i < packets; ++i) ++counts[sizes.shares()[sizes.share_at(i)].size.on_wire()];
  return counts;
}

TEST(size_mix, imix_is_seven_to_four_to_one) {
  std::map<unsigned, unsigned> const expected{{64, 700}, {594, 400}, {1518, 100}};
  EXPECT_EQ(count_sizes(size_mix::parse("imix"), 1200), expected);
  EXPECT_DOUBLE_EQ(size_mix::parse("imix").average(), (7 * 64 + 4 * 594 + 1518) / 12.0);
}

TEST(size_mix, without_weights_every_size_has_the_same_share) {
  std::map<unsigned, unsigned> const expected{{64, 100}, {512, 100}, {9000, 100}};
  EXPECT_EQ(count_sizes(size_mix::parse("64,512,9000"), 300), expected);
}

TEST(size_mix, spreads_a_size_over_the_cycle) {
  size_mix const sizes = size_mix::parse("imix");
  for (std::uint64_t cycle = 0; cycle < 1200; cycle += 12) {
    unsigned in_halves[2]{};
    for (std::uint64_t i = 0; i < 12; ++i) in_halves[i / 6] += sizes.share_at(cycle + i) == 1 ? 1U : 0U;
    EXPECT_LT(in_halves[0], 4U) << cycle;
    EXPECT_LT(in_halves[1], 4U) << cycle;
  }
}

TEST(size_mix, lets_flows_taken_in_turn_meet_every_size) {
  size_mix const sizes = size_mix::parse("imix");
  for (std::uint64_t const flows : {2U, 3U, 12U, 24U, 144U, 1000U}) {
    for (std::uint64_t flow = 0; flow < flows; ++flow) {
      std::set<unsigned> met;
      for (std::uint64_t i = flow; i < 144 * flows; i += flows) met.insert(sizes.share_at(i));
      EXPECT_EQ(met.size(), 3U) << flow << " of " << flows;
    }
  }
}

TEST(size_mix, is_read_back_as_it_was) {
  for (char const* const text : {"64", "imix", "64,128,9600", "1518:4096", "64:1,64:2"}) {
    size_mix const parsed = size_mix::parse(text);
    EXPECT_EQ(size_mix::parse(to_text(parsed)).shares(), parsed.shares()) << text;
  }
}

TEST(size_mix, names_the_column_and_what_is_allowed) {
  auto const refusal = [](std::string_view text) { return usage_text([&] { (void)size_mix::parse(text); }); };
  EXPECT_THAT(refusal("63"), AllOf(HasSubstr("--size \"63\""), HasSubstr("64 to 9600 or imix")));
  EXPECT_THAT(refusal("64,9601"), HasSubstr("column 4"));
  EXPECT_THAT(refusal("64:0"), HasSubstr("a weight from 1 to 4096"));
  EXPECT_THAT(refusal("64:4096,65"), HasSubstr("4096 or less"));
  EXPECT_THAT(refusal(""), HasSubstr("found the end"));
  EXPECT_THAT(refusal("64,"), HasSubstr("found the end"));
  EXPECT_THAT(usage_text([] { size_mix{std::vector<size_mix::share>{}}; }), HasSubstr("add up to 0"));
}

}  // namespace
}  // namespace packetwarp::traffic
