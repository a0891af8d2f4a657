// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/compiled/prefilter.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "inspect/compiled/compile.h"
#include "inspect/made_rules.h"

namespace packetwarp::inspect {
namespace {

TEST(prefilter, folds_ascii_letters_and_nothing_else) {
  for (unsigned c = 0; c < 256; ++c) {
    auto const wanted = c >= 'A' && c <= 'Z' ? c + 32 : c;
    EXPECT_EQ(folded(std::uint64_t{c} << 24 | 0x41), std::uint64_t{wanted} << 24 | 0x61) << c;
  }
}

[[nodiscard]] std::set<std::uint32_t> found_in(ruleset_ref rules, std::string const& text) {
  std::set<std::uint32_t> found;
  auto const size = static_cast<std::uint32_t>(text.size());
  for (std::uint32_t at = 0; at < size; ++at) {
    search_windows(rules, reinterpret_cast<std::byte const*>(text.data()), size, at,
                   [&](std::uint32_t place) { found.insert(rules.rule(place).number); });
  }
  return found;
}

// A search that shares no code: every literal in every text.
TEST(prefilter, finds_every_rule_whose_literal_is_there) {
  std::mt19937 random{7};
  auto const letters = [&](std::size_t length) {
    std::string made;
    for (std::size_t i = 0; i < length; ++i) made.push_back("abcdAB"[random() % 6]);
    return made;
  };
  std::vector<std::string> literals;
  std::string text;
  for (int i = 0; i < 400; ++i) {
    literals.push_back(letters(4 + random() % 9));
    text += rule_with("content:\"" + literals.back() + "\";", "tcp", literals.size());
  }
  auto const compiled = compile_rules(rules_of(text));
  std::size_t all_found = 0;
  for (int i = 0; i < 200; ++i) {
    auto const payload = letters(random() % 300);
    auto const found = found_in(compiled.ref(), payload);
    for (std::uint32_t number = 0; number < literals.size(); ++number) {
      if (payload.find(literals[number]) == std::string::npos) continue;
      ++all_found;
      ASSERT_TRUE(found.contains(number)) << literals[number] << " in " << payload;
    }
  }
  EXPECT_GT(all_found, 1000U);
}

TEST(prefilter, rules_without_a_literal_are_listed_by_the_packets_that_may_match) {
  auto const compiled =
      compile_rules(rules_of(rule_with("content:\"abc\";") + rule_with("content:\"abcd\";", "tcp", 2) +
                             rule_with("dsize:1;", "ip", 3) + rule_with("content:!\"abcde\";", "udp", 4)));
  auto const& lists = compiled.ref().header().unfiltered;
  EXPECT_EQ(lists[static_cast<int>(packet_kind::tcp)].count, 2U);
  EXPECT_EQ(lists[static_cast<int>(packet_kind::udp)].count, 2U);
  EXPECT_EQ(lists[static_cast<int>(packet_kind::icmp)].count, 1U);
}

TEST(ruleset, is_the_same_at_another_place_in_memory) {
  auto const compiled = compile_rules(rules_of(rule_with("content:\"abcdefgh\";")));
  std::vector<std::uint64_t> copy(compiled.bytes() / 8);
  std::memcpy(copy.data(), compiled.ref().base, compiled.bytes());
  EXPECT_EQ(found_in({reinterpret_cast<std::byte const*>(copy.data())}, "xabcdefgh"), (std::set<std::uint32_t>{0}));
  EXPECT_EQ(compiled.ref().header().bytes, compiled.bytes());
}

}  // namespace
}  // namespace packetwarp::inspect
