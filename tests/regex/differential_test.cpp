// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Made expressions on made texts: both automata against PCRE2.
#include <gtest/gtest.h>

#include <string>

#include "fixtures/repetitions.h"
#include "regex/finds.h"
#include "regex/made_expressions.h"
#include "regex/oracle.h"

namespace packetwarp::regex {
namespace {

struct outcome_counts {
  unsigned matched{};
  unsigned unmatched{};
  unsigned with_bits{};
};

void check_texts(made_expression const& made, std::string const& modifiers, oracle const& pcre,
                 expression_maker& random, outcome_counts& counts) {
  auto const one = compile(made.pattern, modifiers);
  auto const bits = compile_bits(made.pattern, modifiers);
  if (bits) ++counts.with_bits;
  auto const through = one ? resolve(write_out(parse(made.pattern, modifiers))) : positions{};
  for (int i = 0; i < 12; ++i) {
    auto text = i < 8 ? random.text_of(made.sample) : random.text(20);
    if (i >= 10 && one) text = walk(through, 100, [&](std::uint32_t end) { return random.below(end); });
    auto const wanted = pcre.matches(text);
    if (!wanted) continue;
    ++(*wanted ? counts.matched : counts.unmatched);
    auto const shown = "/" + made.pattern + "/" + modifiers + " in " + testing::PrintToString(text);
    ASSERT_TRUE(!one || finds(one, text) == *wanted) << shown;
    ASSERT_TRUE(!bits || finds(bits, text) == *wanted) << shown << " by bits";
  }
}

TEST(differential, both_automata_have_the_answers_of_pcre2) {
  expression_maker random{7};
  auto const count = test::repetitions(40'000U, 4'000U);
  outcome_counts counts;
  unsigned compiled_ones = 0;
  unsigned invalid = 0;
  for (unsigned i = 0; i < count; ++i) {
    auto const made = random.expression();
    auto const modifiers = random.modifiers();
    oracle const pcre{made.pattern, modifiers};
    auto const why = compile(made.pattern, modifiers).why;
    if (!pcre.compiles()) ++invalid;
    if (!pcre.compiles() || why != refusal::none) {
      ASSERT_FALSE(pcre.compiles() && why == refusal::not_an_expression) << made.pattern << " /" << modifiers;
      continue;
    }
    ++compiled_ones;
    check_texts(made, modifiers, pcre, random, counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(compiled_ones, count / 10 * 9);
  EXPECT_GT(counts.with_bits, compiled_ones / 10 * 9);
  EXPECT_GT(counts.matched, count);
  EXPECT_GT(counts.unmatched, count);
  EXPECT_GT(invalid, 0U);
}

}  // namespace
}  // namespace packetwarp::regex
