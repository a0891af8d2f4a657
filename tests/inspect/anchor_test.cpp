// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Contents that can lie at one place of the payload only.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "inspect/anchored.h"
#include "inspect/made_rules.h"

namespace packetwarp::inspect {
namespace {

struct anchor_case {
  std::string keywords;
  std::string_view payload;
  bool may_match;
};
class anchors : public testing::TestWithParam<anchor_case> {};

TEST_P(anchors, keep_rules_from_packets_with_other_bytes_there) {
  auto const& [keywords, payload, may_match] = GetParam();
  auto const compiled = compile_rules(rules_of(rule_with(keywords)));
  EXPECT_EQ(inspect::may_match(compiled, payload), may_match) << keywords << " on " << payload;
}

INSTANTIATE_TEST_SUITE_P(
    contents, anchors,
    testing::Values(
        anchor_case{"content:\"ab\"; depth:2;", "abc", true}, anchor_case{"content:\"ab\"; depth:2;", "ab", true},
        anchor_case{"content:\"ab\"; depth:2;", "xab", false}, anchor_case{"content:\"ab\"; depth:2;", "a", false},
        anchor_case{"content:\"ab\"; depth:2;", "", false},
        anchor_case{"content:\"ab\"; offset:3; depth:2;", "xyzab", true},
        anchor_case{"content:\"ab\"; offset:3; depth:2;", "xyabz", false},
        anchor_case{"content:\"ab\"; offset:3; depth:2;", "xyz", false},
        // In any case: the check itself looks closer.
        anchor_case{"content:\"AB\"; nocase; startswith;", "aBc", true},
        anchor_case{"content:\"AB\"; startswith;", "aBc", true},
        anchor_case{"content:\"AB\"; startswith;", "bAB", false},
        // Four bytes are compared, and bytes that are no letters as they are.
        anchor_case{"content:\"abcdef\"; startswith;", "abcdxx", true},
        anchor_case{"content:\"abcdef\"; startswith;", "abcxef", false},
        anchor_case{"content:\"|18 03|\"; depth:2; content:\"|01|\"; offset:5; depth:1;", "\x18\x03", true},
        anchor_case{"content:\"|18 03|\"; depth:2;", "\x38\x03", false},
        // The longest one counts.
        anchor_case{"content:\"a\"; depth:1; content:\"bc\"; offset:1; depth:2;", "xbc", true},
        anchor_case{"content:\"a\"; depth:1; content:\"bc\"; offset:1; depth:2;", "axx", false},
        // Several places, none that is known before, another text, or bytes that must not be there.
        anchor_case{"content:\"ab\"; depth:3;", "xx", true}, anchor_case{"content:\"ab\"; offset:1;", "xx", true},
        anchor_case{"content:\"xx\"; content:\"ab\"; distance:0; within:2;", "xx", true},
        anchor_case{"content:!\"ab\"; depth:2;", "ab", true}, anchor_case{"content:!\"ab\"; depth:2;", "xx", true}));

TEST(anchor, of_another_text_is_none) {
  auto const compiled = compile_rules(rules_of(rule_with("http.uri; content:\"/a\"; startswith;", "http")));
  EXPECT_TRUE(may_match(compiled, "GET /a HTTP/1.1"));
}

TEST(anchor, of_a_stream_may_lie_at_its_begin) {
  auto const compiled = compile_rules(rules_of(rule_with("content:\"abcd\"; startswith;")));
  constexpr std::string_view stream = "abcdef";
  inspected_packet packet;
  packet.payload = reinterpret_cast<std::byte const*>(stream.data()) + 2;
  packet.payload_size = 4;
  EXPECT_FALSE(may_match_at_anchor(compiled.ref().rule(0), packet));
  packet.is_in_stream = true;
  packet.stream = {reinterpret_cast<std::byte const*>(stream.data()), 6};
  EXPECT_TRUE(may_match_at_anchor(compiled.ref().rule(0), packet));
}

}  // namespace
}  // namespace packetwarp::inspect
