// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "inspect/anchored.h"
#include "inspect/compiled/compile.h"
#include "inspect/language/regex.h"
#include "inspect/made_rules.h"
#include "inspect/match/chain.h"
#include "inspect/match/content.h"

namespace packetwarp::inspect {
namespace {

[[nodiscard]] chain_result result_of(std::string const& keywords, std::string_view payload) {
  auto const set = rules_of(rule_with(keywords));
  EXPECT_TRUE(set.problems.empty()) << set.problems.front();
  if (set.rules.empty()) return chain_result::no_match;
  EXPECT_TRUE(set.rules[0].gaps.empty()) << set.rules[0].gaps[0].keyword;
  auto const compiled = compile_rules(set);
  regex_library regexes{compiled.regexes()};
  search_budget budget;
  auto const result = matches_chain(
      compiled.ref(), compiled.ref().rule(0).checks, reinterpret_cast<std::byte const*>(payload.data()),
      static_cast<std::uint32_t>(payload.size()),
      [&](auto number, auto const* text, auto size, auto& begin, auto& end) {
        return regexes.match(number, text, size, begin, end);
      },
      budget);
  // A rule that matches does so at its anchor, too.
  EXPECT_TRUE(result != chain_result::match || may_match(compiled, payload)) << keywords << " on " << payload;
  return result;
}

struct payload_case {
  std::string keywords;
  std::string_view payload;
  bool matches;
};
class payloads : public testing::TestWithParam<payload_case> {};

TEST_P(payloads, match_as_in_suricata) {
  auto const& [keywords, payload, matches] = GetParam();
  EXPECT_EQ(result_of(keywords, payload), matches ? chain_result::match : chain_result::no_match)
      << keywords << " on " << payload;
}

INSTANTIATE_TEST_SUITE_P(contents, payloads,
                         testing::Values(payload_case{"content:\"bcd\";", "abcde", true},
                                         payload_case{"content:\"BCD\";", "abcde", false},
                                         payload_case{"content:\"BcD\"; nocase;", "abCde", true},
                                         payload_case{"content:\"abcdef\";", "abcde", false},
                                         payload_case{"content:\"bc\"; offset:1;", "abcde", true},
                                         payload_case{"content:\"bc\"; offset:2;", "abcde", false},
                                         payload_case{"content:\"bc\"; depth:3;", "abcde", true},
                                         payload_case{"content:\"cd\"; depth:3;", "abcde", false},
                                         // A depth counts from the offset.
                                         payload_case{"content:\"cd\"; offset:2; depth:2;", "abcde", true},
                                         payload_case{"content:\"de\"; offset:2; depth:2;", "abcde", false},
                                         payload_case{"content:\"ab\"; startswith;", "abc", true},
                                         payload_case{"content:\"bc\"; startswith;", "abc", false},
                                         payload_case{"content:\"bc\"; endswith;", "abc", true},
                                         payload_case{"content:\"ab\"; endswith;", "abcab", true},
                                         payload_case{"content:\"ab\"; endswith;", "abc", false},
                                         payload_case{"content:!\"bc\"; endswith;", "bca", true},
                                         payload_case{"content:!\"bc\"; endswith;", "abc", false},
                                         payload_case{"content:!\"x\";", "abc", true},
                                         payload_case{"content:!\"b\";", "abc", false},
                                         payload_case{"content:!\"c\"; depth:2;", "abc", true},
                                         payload_case{"content:!\"abcd\";", "abc", true},
                                         payload_case{"content:!\"x\"; offset:9;", "abc", true},
                                         payload_case{"content:!\"x\";", "", false}));

INSTANTIATE_TEST_SUITE_P(
    chains, payloads,
    testing::Values(payload_case{"content:\"ab\"; content:\"cd\"; distance:0;", "abcd", true},
                    payload_case{"content:\"ab\"; content:\"ab\"; distance:0;", "abcd", false},
                    payload_case{"content:\"ab\"; content:\"cd\"; distance:1;", "abcd", false},
                    payload_case{"content:\"ab\"; content:\"cd\"; distance:1; within:2;", "abxcd", true},
                    payload_case{"content:\"ab\"; content:\"cd\"; distance:1; within:2;", "abxxcd", false},
                    payload_case{"content:\"ab\"; content:\"cd\"; within:3;", "abxcd", true},
                    payload_case{"content:\"ab\"; content:\"cd\"; within:2;", "abxcd", false},
                    payload_case{"content:\"cd\"; content:\"ab\"; distance:-4; within:2;", "abcd", true},
                    // An earlier content is found again where the ones after it do not fit its first place.
                    payload_case{"content:\"a\"; content:\"b\"; within:1;", "axab", true},
                    payload_case{"content:\"a\"; content:\"b\"; distance:0; content:\"c\"; within:1;", "abxbxabc",
                                 true},
                    payload_case{"content:\"aa\"; content:\"b\"; within:1;", "aaab", true},
                    payload_case{"content:\"a\"; content:\"b\"; within:1;", "axax", false},
                    payload_case{"content:\"a\"; content:!\"b\"; within:1;", "abac", true},
                    payload_case{"content:\"a\"; content:!\"b\"; within:1;", "abab", false},
                    // A content that is not relative is searched anywhere, and before, too.
                    payload_case{"content:\"cd\"; content:\"ab\";", "abcd", true}));

INSTANTIATE_TEST_SUITE_P(
    data, payloads,
    testing::Values(
        payload_case{"isdataat:2;", "abc", true}, payload_case{"isdataat:3;", "abc", false},
        payload_case{"isdataat:!3;", "abc", true}, payload_case{"content:\"b\"; isdataat:1,relative;", "abc", true},
        payload_case{"content:\"b\"; isdataat:2,relative;", "abc", false},
        payload_case{"content:\"c\"; isdataat:!1,relative;", "abc", true},
        payload_case{"content:\"a\"; isdataat:!1,relative;", "aba", true},
        payload_case{"byte_test:1,>,64,0;", "A", true}, payload_case{"byte_test:1,>,65,0;", "A", false},
        // A number of 64 bits, and a negative one as C's strtoull reads it.
        payload_case{"byte_test:8,=,18446744073709551615,0;", "\xff\xff\xff\xff\xff\xff\xff\xff", true},
        payload_case{"byte_test:8,=,-1,0;", "\xff\xff\xff\xff\xff\xff\xff\xff", true},
        payload_case{"byte_test:1,>,-1,0;", "A", false}, payload_case{"byte_test:3,=,7,0,string;", "0x7", true},
        payload_case{"byte_test:3,=,8,0,string;", "010", true},
        payload_case{"byte_test:3,=,10,0,string,dec;", "010", true},
        payload_case{"byte_test:20,>,0,0,string,dec;", "18446744073709551615", true},
        payload_case{"byte_test:20,>=,0,0,string,dec;", "18446744073709551616", false},
        payload_case{"byte_test:23,>=,0,0,string,hex;", "99999999999999999999999", false},
        payload_case{"content:\"Z\"; byte_jump:2,0,relative,string; content:\"y\"; within:1;", "xyZ-4", true},
        payload_case{"content:\"Z\"; byte_jump:2,0,relative,string; content:\"y\"; within:1;", "xyZ-2", false},
        payload_case{"content:\"Z\"; byte_jump:2,0,relative,string; content:\"x\"; within:1;", "xyZ-9", true},
        // A jump to the end, and beyond it.
        payload_case{"content:\"A\"; byte_jump:1,0,relative; isdataat:!1,relative;", "A\x02xy", true},
        payload_case{"content:\"A\"; byte_jump:1,0,relative; isdataat:!1,relative;", "A\x02xyz", false},
        payload_case{"content:\"A\"; byte_jump:1,0,relative;", "A\x03xy", false},
        payload_case{"byte_jump:0,0,from_end; isdataat:!1,relative;", "abc", true},
        // Checks between a content and the one that counts from it do not end the search for other matches.
        payload_case{"content:\"a\"; isdataat:2; content:\"B\"; within:1;", "aXaB", true},
        payload_case{"content:\"a\"; byte_test:1,>,0,0; content:\"B\"; within:1;", "aXaB", true},
        payload_case{"content:\"a\"; bsize:4; content:\"B\"; within:1;", "aXaB", true},
        payload_case{"content:\"a\"; isdataat:2; pcre:\"/^B/R\";", "aXaB", true},
        payload_case{"content:\"a\"; isdataat:2; content:\"B\"; within:1;", "aXaC", false},
        // As in Suricata, a negated content between ends it.
        payload_case{"content:\"a\"; content:!\"z\"; content:\"B\"; within:1;", "aXaB", false},
        payload_case{"pcre:\"m/b.d/\";", "abcd", true}, payload_case{"byte_test:2,=,0x4142,0;", "AB", true},
        payload_case{"byte_test:2,=,0x4241,0,little;", "AB", true},
        payload_case{"byte_test:2,!=,0x4142,0;", "AB", false}, payload_case{"byte_test:1,&,2,0;", "B", true},
        payload_case{"byte_test:1,!&,2,0;", "A", true}, payload_case{"byte_test:1,<=,65,0;", "A", true},
        payload_case{"byte_test:3,=,123,1,string,dec;", "x123", true},
        payload_case{"byte_test:0,>,122,1,string,dec;", "x123y", true},
        payload_case{"byte_test:4,=,0xbeef,0,string,hex;", "beef", true},
        payload_case{"byte_test:2,=,12,0,string,dec;", "xy", false},
        payload_case{"content:\"a\"; byte_test:1,=,99,1,relative;", "abc", true},
        payload_case{"content:\"a\"; byte_test:1,=,97,-1,relative;", "abc", true},
        payload_case{"byte_test:2,=,4,0,bitmask 0x0ff0;", std::string_view{"\x00\x4f", 2}, true},
        payload_case{"byte_test:2,=,0,2;", "abc", false},
        payload_case{"byte_jump:1,0; content:\"x\"; within:1;",
                     std::string_view{"\x02"
                                      "abx",
                                      4},
                     true},
        payload_case{"byte_jump:1,0; content:\"x\"; within:1;",
                     std::string_view{"\x01"
                                      "abx",
                                      4},
                     false},
        payload_case{"byte_jump:1,0,align; content:\"x\"; within:1;",
                     std::string_view{"\x02"
                                      "abcdx",
                                      6},
                     true},
        payload_case{"byte_jump:1,0,multiplier 2; content:\"x\"; within:1;",
                     std::string_view{"\x01"
                                      "abx",
                                      4},
                     true},
        payload_case{"byte_jump:1,0,from_beginning; content:\"b\"; within:1;",
                     std::string_view{"\x02"
                                      "abx",
                                      4},
                     true},
        payload_case{"byte_jump:1,0,post_offset -1; content:\"b\"; within:1;",
                     std::string_view{"\x02"
                                      "abx",
                                      4},
                     true},
        payload_case{"byte_jump:1,0,post_offset -9; content:\"|02|\"; within:1;",
                     std::string_view{"\x02"
                                      "abx",
                                      4},
                     true},
        payload_case{"byte_jump:1,0;",
                     std::string_view{"\x09"
                                      "ab",
                                      3},
                     false}));

INSTANTIATE_TEST_SUITE_P(
    expressions, payloads,
    testing::Values(payload_case{"pcre:\"/b+c/\";", "abbc", true}, payload_case{"pcre:\"/B+C/\";", "abbc", false},
                    payload_case{"pcre:\"/B+C/i\";", "abbc", true}, payload_case{"pcre:!\"/x/\";", "abbc", true},
                    payload_case{"content:\"a\"; pcre:\"/^b/R\";", "xab", true},
                    payload_case{"content:\"a\"; pcre:\"/^b/R\";", "axab", true},
                    payload_case{"content:\"a\"; pcre:\"/^b/R\";", "axa", false},
                    payload_case{"pcre:\"/a./\"; content:\"c\"; within:1;", "abxaxc", true},
                    payload_case{"pcre:\"/a.c/\";", "a\nc", false}, payload_case{"pcre:\"/a.c/s\";", "a\nc", true}));

TEST(payload, a_chain_that_explodes_ends_at_its_bound) {
  std::string const many(1000, 'a');
  EXPECT_EQ(
      result_of("content:\"a\"; content:\"a\"; within:99; content:\"a\"; within:99; content:\"b\"; within:1;", many),
      chain_result::out_of_steps);
}

TEST(payload, an_expression_that_explodes_ends_at_its_bound_and_is_counted) {
  regex_library regexes{
      {{.pattern = "^(a+)+$", .modifiers = {}, .where = {}, .is_negated = false, .is_relative = false}}};
  std::string const text = std::string(64, 'a') + "b";
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  EXPECT_FALSE(regexes.match(0, reinterpret_cast<std::byte const*>(text.data()),
                             static_cast<std::uint32_t>(text.size()), begin, end));
  EXPECT_EQ(regexes.out_of_bound(), 1U);
}

// Some of the bytes differ in one bit from a letter.
TEST(payload_content, begins_at_the_first_byte_in_either_case_wherever_it_is) {
  std::mt19937 random{5};
  for (int i = 0; i < 20'000; ++i) {
    std::string text(random() % 70 + 1, ' ');
    for (auto& c : text) c = random() % 8 == 0 ? static_cast<char>(random()) : "@`1!QqZz"[random() % 8];
    auto const first = static_cast<char>(random() % 2 == 0 ? 'a' + random() % 26 : random());
    auto const ignores = random() % 2 == 0 ? check_flag::ignores_case : std::uint16_t{0};
    auto const lower = [&](char c) { return ignores != 0 && c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; };
    if (lower(first) != first) continue;  // contents that ignore case are in lower case
    auto const begin = static_cast<std::int64_t>(random() % text.size());
    auto const last = static_cast<std::int64_t>(random() % text.size());
    auto wanted = begin;
    while (wanted <= last && lower(text[static_cast<std::size_t>(wanted)]) != first) ++wanted;
    auto const* bytes = reinterpret_cast<std::byte const*>(text.data());
    ASSERT_EQ(detail::next_first(bytes, begin, last, std::byte(first), ignores), wanted) << text << ' ' << first;
  }
}

}  // namespace
}  // namespace packetwarp::inspect
