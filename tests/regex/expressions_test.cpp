// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Expressions with texts that match and texts that do not, by hand from pcre2pattern(3).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "regex/finds.h"

namespace packetwarp::regex {
namespace {

using namespace std::string_literals;

struct expectation {
  char const* pattern;
  char const* modifiers;
  std::vector<std::string> matching;
  std::vector<std::string> others;
};

void check(std::vector<expectation> const& all) {
  for (auto const& one : all) {
    for (auto const& made : {compile(one.pattern, one.modifiers), compile_bits(one.pattern, one.modifiers)}) {
      ASSERT_TRUE(made) << one.pattern << ": " << name_of(made.why);
      for (auto const& text : one.matching) EXPECT_TRUE(finds(made, text)) << one.pattern << " in '" << text << "'";
      for (auto const& text : one.others) EXPECT_FALSE(finds(made, text)) << one.pattern << " in '" << text << "'";
    }
  }
}

TEST(expressions, literals_and_escapes_are_bytes) {
  check({
      {"abc", "", {"abc", "xabcx", "ababc"}, {"", "ab", "abd", "ABC"}},
      {"abc", "i", {"ABC", "aBc"}, {"abd"}},
      {"\xe4", "i", {"\xe4"}, {"\xc4"}},
      {"\\x41\\x{42}\\103", "", {"ABC"}, {"abc"}},
      {"\\x4", "", {"\x04"}, {"4"}},
      {"a\\x00b", "", {"a\0b"s}, {"ab"}},
      {"\\cA\\e\\f\\n\\r\\t\\a\\0", "", {"\x01\x1b\f\n\r\t\a\0"s}, {""}},
      {"\\.\\/\\-", "", {"./-"}, {"a/-"}},
      {"\\Q.*\\E+", "", {".**"}, {".a"}},
      {"\\Qa|b", "", {"a|b"}, {"a", "b"}},
      {"\\018",
       "",
       {"\x01"
        "8"},
       {"18"}},
      {"x{,2}y", "", {"x{,2}y"}, {"xxy"}},
      {"{a}", "", {"{a}"}, {"a"}},
  });
}

TEST(expressions, classes_are_sets_of_bytes) {
  check({
      {"[a-c]", "", {"b"}, {"d", "-"}},
      {"[^a-c]", "", {"d", "\n", "ad"}, {"abc", ""}},
      {"[]a]x", "", {"]x", "ax"}, {"x", "[x"}},
      {"[a\\]-]x", "", {"]x", "-x"}, {"bx"}},
      {"[a-c-e]x", "", {"-x", "ex"}, {"dx"}},
      {"[Z-a]x", "i", {"zx", "AX", "[x"}, {"bx"}},
      {"[^k]x", "i", {"lx"}, {"kx", "Kx"}},
      {"[[:upper:]]x", "", {"Ax"}, {"ax"}},
      {"[[:upper:]]x", "i", {"Ax", "ax"}, {"1x"}},
      {"[[:^digit:]_]x", "", {"_x", "ax"}, {"1x"}},
      {"[\\d\\-z]x", "", {"3x", "-x", "zx"}, {"ax"}},
      {"[\\b]", "", {"\b"}, {"b"}},
      {"[\\Qa-c\\E]x", "", {"-x"}, {"bx"}},
      {"\\s", "", {"\v", "\f", " "}, {"\xa0", "a"}},
      {"\\h", "", {"\xa0", "\t"}, {"\n"}},
      {"\\v", "", {"\x85", "\v", "\n"}, {"\t"}},
      {"^\\D\\W\\S\\H\\V\\N$", "", {"a-aaaa"}, {"1-aaaa", "aaaaaa", "a- aaa", "a-a aa", "a-aa\na", "a-aaa\n"}},
  });
}

TEST(expressions, quantifiers_repeat_what_is_before_them) {
  check({
      {"^ab*c$", "", {"ac", "abbbc"}, {"abb", "bc"}},
      {"^ab+?c$", "", {"abc", "abbc"}, {"ac"}},
      {"^a(bc)?d$", "", {"ad", "abcd"}, {"abcbcd", "abd"}},
      {"^(a|bc){2,3}$",
       "",
       {"aa", "abc", "bcbca"},
       {"a", "aaaa",
        "bca"
        "b"}},
      {"^a{3}$", "", {"aaa"}, {"aa", "aaaa"}},
      {"^a{2,}$", "", {"aa", "aaaaaa"}, {"a"}},
      {"^ab{0}c$", "", {"ac"}, {"abc"}},
      {"^(a*)*b$", "", {"b", "aaab"}, {"a", "ba"}},
      {"^(?:(?:a?){3}){2}b$", "", {"b", "aaaaaab"}, {"aaaaaaab"}},
      {"^(?:\\b|a)+b", "", {"ab", "b"}, {"cb", ""}},
  });
}

TEST(expressions, groups_and_their_options_end_where_they_should) {
  check({
      {"^(a(?i)b|c)d$", "", {"abd", "aBd", "Cd"}, {"Abd", "abD"}},
      {"^(?i:a)b$", "", {"Ab"}, {"AB"}},
      {"^(?<n>a)(?P<m>b)(?'o'c)(?#note)(?:d)$", "", {"abcd"}, {"abc"}},
      {"^(?x: a b # note\n c)d e$", "", {"abcd e"}, {"abcde"}},
      {"^ a + # note", "x", {"aa"}, {" a"}},
      {"^(?s).(?-s).$", "", {"\na"}, {"\n\n", "a"}},
      {"^(?^:a)$", "i", {"a"}, {"A"}},
      {"a|b|", "", {"", "x"}, {}},
      {"^(?:a|(?m:^)b)$", "", {"a", "b"}, {"ab", "c"}},
  });
}

TEST(expressions, assertions_hold_where_pcre2_says) {
  check({
      {"a$", "", {"a", "a\n", "ba\n"}, {"a\n\n", "ab", "\na\nb"}},
      {"a$", "E", {"a"}, {"a\n"}},
      {"a$", "m", {"a\nb", "a\n\n", "a"}, {"ab"}},
      {"a\\z", "m", {"a"}, {"a\n"}},
      {"a\\Z", "m", {"a", "a\n"}, {"a\nb"}},
      {"a$\\n", "", {"a\n"}, {"a", "a\n\n"}},
      {"a$.", "s", {"a\n"}, {"a", "ab", "a\n\n"}},
      {"^a", "", {"ab"}, {"ba", "\na"}},
      {"^a", "m", {"ab", "b\na"}, {"ba"}},
      {"\\Aa", "m", {"ab"}, {"b\na"}},
      {"x\\n^", "m", {"x\na", "x\n\n"}, {"x\n", "x"}},
      {"^$", "", {"", "\n"}, {"\n\n", "a"}},
      {"a", "A", {"ab"}, {"ba"}},
      {"b|^a", "A", {"a", "b"}, {"ca"}},
      {"\\bfoo\\b",
       "",
       {"foo", "a foo.",
        "\xff"
        "foo\xff"},
       {"foot", "_foo", "fo o"}},
      {"\\Bfoo\\B", "", {"afoot"}, {"foo", "afoo", "foot"}},
      {"\\b", "", {"a", "-a"}, {"", "--"}},
      {"\\B", "", {"", "--", "aa"}, {"a"}},
      {"o\\b.?$", "", {"o", "o-", "o\n"}, {"oa"}},
      {"[[:<:]]a[[:>:]]", "", {"a", "-a-"}, {"aa", "ab"}},
      {"a\\Kb", "", {"ab"}, {"b"}},
  });
}

TEST(expressions, long_repetitions_have_a_bit_nfa) {
  auto const made = compile("a.{200}b", "");
  ASSERT_TRUE(made);
  EXPECT_EQ(made.ref().header().kind, automaton_kind::bit_nfa);
  EXPECT_EQ(made.ref().header().words, 4U);
  EXPECT_TRUE(finds(made, "aa" + std::string(199, 'x') + "bb"));
  EXPECT_FALSE(finds(made, "a" + std::string(198, 'x') + "bb"));
  EXPECT_FALSE(finds(made, "a" + std::string(100, 'x') + "\n" + std::string(99, 'x') + "b"));
}

TEST(expressions, matches_are_known_where_the_first_one_ends) {
  struct known_end {
    char const* pattern;
    char const* text;
    std::uint32_t end;
  };
  for (auto const& one : {known_end{"abc", "xabxabcabc", 7}, known_end{"a+", "baaa", 2}, known_end{"x.*y|z", "xzy", 2},
                          known_end{"ab$", "ab, ab", 6}, known_end{"^", "a", 0}, known_end{"a\\b", "aa b", 3}}) {
    for (auto const& made : {compile(one.pattern, ""), compile_bits(one.pattern, "")}) {
      std::uint32_t end = ~std::uint32_t{0};
      std::string_view const text{one.text};
      auto const size = static_cast<std::uint32_t>(text.size());
      EXPECT_TRUE(matches(made.ref(), reinterpret_cast<std::byte const*>(text.data()), size, end)) << one.pattern;
      EXPECT_EQ(end, one.end) << one.pattern;
    }
  }
}

TEST(expressions, a_text_may_begin_at_any_address_and_its_neighbours_do_not_count) {
  auto const made = compile("^abcdefghij$", "");
  for (std::size_t before = 0; before < 8; ++before) {
    auto const text = std::string(before, 'a') + "abcdefghij" + std::string(7, 'j');
    EXPECT_TRUE(finds(made, std::string_view{text}.substr(before, 10)));
    EXPECT_FALSE(finds(made, std::string_view{text}.substr(before, 9)));
  }
}

}  // namespace
}  // namespace packetwarp::regex
