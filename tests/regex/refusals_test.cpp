// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "regex/finds.h"
#include "regex/positions/graph.h"

namespace packetwarp::regex {
namespace {

[[nodiscard]] std::string repeated(std::string const& text, std::size_t times) {
  std::string made;
  for (std::size_t i = 0; i < times; ++i) made += text;
  return made;
}

TEST(refusals, each_construct_without_an_automaton_is_refused_by_its_name) {
  std::vector<std::pair<std::string, refusal>> const all{
      {"(a)\\1", refusal::back_reference},
      {"(?<n>a)\\k<n>", refusal::back_reference},
      {"(a)\\g1", refusal::back_reference},
      {"(?P<n>a)(?P=n)", refusal::back_reference},
      {"a(?=b)", refusal::look_ahead},
      {"a(?!b)", refusal::look_ahead},
      {"(?<=a)b", refusal::look_behind},
      {"(?<!a)b", refusal::look_behind},
      {"(?>a)", refusal::atomic_group},
      {"a++b", refusal::possessive_quantifier},
      {"a{2}+", refusal::possessive_quantifier},
      {"(?R)", refusal::recursion},
      {"(a)(?1)", refusal::recursion},
      {"(?-1)(a)", refusal::recursion},
      {"(?&n)", refusal::recursion},
      {"(?P>n)", refusal::recursion},
      {"(a)(?(1)b)", refusal::condition},
      {"(*FAIL)", refusal::verb},
      {"(*UTF)a", refusal::verb},
      {"a(?C1)", refusal::callout},
      {"(?|a)", refusal::branch_reset},
      {"(?xx)a", refusal::extended_more},
      {"\\Ga", refusal::match_begin},
      {"\\R", refusal::newline_sequence},
      {"\\X", refusal::grapheme},
      {"\\p{L}", refusal::property},
      {"[\\P{L}]", refusal::property},
      {"\\C", refusal::code_unit},
      {"[[:<:]]?a", refusal::repeated_word_edge},
      {"\\S+\\v", refusal::no_space_beside_blank},
      {"(?:b|^){0}c", refusal::skipped_group},
      {"a**", refusal::not_an_expression},
      {"(a", refusal::not_an_expression},
      {"a)", refusal::not_an_expression},
      {"[a", refusal::not_an_expression},
      {"[b-a]", refusal::not_an_expression},
      {"[\\d-z]", refusal::not_an_expression},
      {"a{3,2}", refusal::not_an_expression},
      {"a\\", refusal::not_an_expression},
      {"\\y", refusal::not_an_expression},
      {"^*", refusal::not_an_expression},
      {"(?", refusal::not_an_expression},
      {"\\x{100}", refusal::not_an_expression},
  };
  for (auto const& [pattern, why] : all) {
    auto const made = compile(pattern, "");
    EXPECT_EQ(made.why, why) << pattern << ": " << name_of(made.why);
    EXPECT_TRUE(made.words.empty());
  }
  EXPECT_EQ(compile("a", "j").why, refusal::modifier);
}

TEST(refusals, each_has_a_name_of_its_own) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < refusals; ++i) names.insert(name_of(static_cast<refusal>(i)));
  EXPECT_EQ(names.size(), refusals);
  EXPECT_FALSE(names.contains(""));
}

TEST(bounds, a_pattern_has_a_greatest_length_and_depth) {
  EXPECT_EQ(compile(std::string(8193, 'a'), "").why, refusal::long_pattern);
  EXPECT_EQ(compile(repeated("(", 250) + "a" + repeated(")", 250), "").why, refusal::none);
  EXPECT_EQ(compile(repeated("(", 251) + "a" + repeated(")", 251), "").why, refusal::deep_groups);
  EXPECT_EQ(compile(std::string(8192, '('), "").why, refusal::deep_groups);
}

TEST(bounds, repetitions_are_measured_before_they_are_written_out) {
  EXPECT_EQ(compile("(((a{1000}){1000}){1000}){1000}", "").why, refusal::expanded_size);
  EXPECT_EQ(compile("((((){65535}){65535}){65535}){65535}", "").why, refusal::expanded_size);
  EXPECT_EQ(compile("(?:(?:(?:^|\\b){900}){900,}){0,900}", "").why, refusal::expanded_size);
  EXPECT_EQ(compile("^a{2048}", "").why, refusal::positions);
  EXPECT_EQ(compile("^a{2049}", "").why, refusal::expanded_size);
}

TEST(bounds, both_automata_have_a_largest_size) {
  EXPECT_EQ(compile("^a{1000}", "").ref().header().kind, automaton_kind::dfa);
  EXPECT_EQ(compile("^a{1500}", "").why, refusal::positions);
  EXPECT_EQ(compile("a.{508}", "s").ref().header().kind, automaton_kind::bit_nfa);
  EXPECT_EQ(compile("a.{600}", "s").why, refusal::positions);
  EXPECT_EQ(compile("a.{30}" + repeated("k?", 100) + "b", "s").why, refusal::exceptions);
}

// Each makes much work out of few bytes; the bounds end it. The work is counted, and not the time.
TEST(bounds, expressions_that_would_cost_much_are_refused_or_made) {
  std::vector<std::string> const all{
      "(?:" + repeated("a|", 4000) + "a)*",
      "(?:" + repeated("ab|", 1000) + "b)*",
      repeated("(?:", 240) + "a" + repeated("*)*", 240),
      repeated("a?", 2000),
      repeated("(?:\\b|^|$)*", 700),
      repeated("[a-z]?\\b", 900),
      "(?:" + repeated("\\x00\\xff.|", 600) + ")*$",
      repeated("(a|b)*a(a|b)", 150),
  };
  for (auto const& pattern : all) {
    for (auto const* modifiers : {"", "ism"}) {
      auto const made = compile(pattern, modifiers);
      EXPECT_LE(made.words.size() * 8, most_table_bytes) << pattern.substr(0, 20);
      if (made) (void)finds(made, "abab\nab");
    }
  }
}

TEST(bounds, states_and_classes_that_differ_in_no_answer_are_one) {
  auto const longer = compile("^(?:abc|xbc)$", "");
  auto const shorter = compile("^[ax]bc$", "");
  EXPECT_EQ(longer.ref().header().classes, shorter.ref().header().classes);
  EXPECT_EQ(longer.ref().header().bytes, shorter.ref().header().bytes);
}

TEST(bounds, an_automaton_has_its_size_in_its_header) {
  for (auto const* pattern : {"abc", "a.{200}b", "", "[^\\s\\S]"}) {
    auto const made = compile(pattern, "");
    ASSERT_TRUE(made);
    EXPECT_EQ(made.ref().header().bytes, made.words.size() * 8);
  }
  EXPECT_FALSE(finds(compile("[^\\s\\S]", ""), "a"));
}

}  // namespace
}  // namespace packetwarp::regex
