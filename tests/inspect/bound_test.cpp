// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Payloads that make rules costly: the bounds count work, and a chain's memory changes no result.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fixtures/packet_builder.h"
#include "inspect/compiled/compile.h"
#include "inspect/made_rules.h"
#include "inspect/match/chain.h"
#include "inspect/packet/inspector.h"

namespace packetwarp::inspect {
namespace {

constexpr auto no_regex = [](auto...) { return false; };

struct chain_cost {
  chain_result result;
  std::uint64_t bytes;
};

[[nodiscard]] chain_cost cost_of(std::string const& keywords, std::string_view payload) {
  auto const compiled = compile_rules(rules_of(rule_with(keywords)));
  search_budget budget;
  auto const result =
      matches_chain(compiled.ref(), compiled.ref().rule(0).checks, reinterpret_cast<std::byte const*>(payload.data()),
                    static_cast<std::uint32_t>(payload.size()), no_regex, budget);
  return {result, search_budget::per_packet - budget.left()};
}

[[nodiscard]] std::byte const* begin_of(std::string const& text) {
  return reinterpret_cast<std::byte const*>(text.data());
}

// Long texts are compared eight bytes at a time, short ones byte by byte: the work that is counted is the same.
TEST(equal_bytes, are_those_before_the_first_difference_at_each_alignment) {
  std::string const pattern = "abcdefghijklmnopqrstuvwxyz0123456789[]^_{}~";
  for (std::uint32_t shift = 0; shift < 4; ++shift) {
    for (std::uint32_t length = 0; length <= pattern.size(); ++length) {
      for (std::uint32_t differs = 0; differs <= length; ++differs) {
        std::string text = std::string(shift, '.') + pattern.substr(0, length);
        std::transform(text.begin(), text.end(), text.begin(),
                       [](char c) { return c >= 'a' && c <= 'z' && c % 3 == 0 ? static_cast<char>(c - 32) : c; });
        if (differs < length) text[shift + differs] = '\x80';
        auto const* const at = begin_of(text) + shift;
        ASSERT_EQ(detail::equal_bytes(at, begin_of(pattern), length, check_flag::ignores_case), differs) << text;
        auto const upper = std::min<std::size_t>(pattern.substr(0, length).find('c'), differs);
        ASSERT_EQ(detail::equal_bytes(at, begin_of(pattern), length, 0), upper) << text;
      }
    }
  }
}

[[nodiscard]] std::string repeated(std::string const& piece, std::size_t size) {
  std::string made;
  while (made.size() < size) made += piece;
  return made;
}

// Each content but the last is at every second position: without a memory of the searched bytes, each of their places
// is searched from to the end.
TEST(bound, four_relative_contents_cost_a_few_passes_over_the_payload) {
  auto const payload = repeated("ab", 1400);
  auto const seen = cost_of(
      "content:\"ab\"; content:\"ab\"; distance:0; content:\"ab\"; distance:0; content:\"zz\"; distance:0;", payload);
  EXPECT_EQ(seen.result, chain_result::no_match);
  EXPECT_LE(seen.bytes, 8 * payload.size());
}

TEST(bound, filters_between_relative_contents_do_not_bring_the_attack_back) {
  auto const payload = repeated("ab", 1400);
  auto const seen = cost_of(
      "content:\"ab\"; isdataat:1,relative; content:!\"y\"; distance:0; within:4; content:\"ab\"; distance:0; "
      "content:\"zz\"; distance:0;",
      payload);
  EXPECT_EQ(seen.result, chain_result::no_match);
  EXPECT_LE(seen.bytes, 8 * payload.size());
}

TEST(bound, an_absent_content_is_searched_once_although_it_is_negated) {
  auto const payload = repeated("ab", 1400) + "y";
  auto const seen = cost_of("content:\"ab\"; content:!\"y\"; distance:0;", payload);
  EXPECT_EQ(seen.result, chain_result::no_match);
  EXPECT_LE(seen.bytes, 8 * payload.size());
}

// Contents with bounds have other matches at other places: their attempts are counted.
TEST(bound, chains_of_bounded_contents_end_after_their_steps_and_cost_no_more_bytes_than_those) {
  auto const payload = repeated("a", 1400);
  auto const seen =
      cost_of("content:\"a\"; content:\"a\"; within:100; content:\"a\"; within:100; content:\"b\"; within:1;", payload);
  EXPECT_EQ(seen.result, chain_result::out_of_steps);
  EXPECT_LE(seen.bytes, 4 * most_steps);
}

// The end of the budget is a result of its own, and the rest of the packet's rules see it, too.
TEST(bound, a_payload_that_is_equal_for_long_at_each_position_ends_at_the_budget) {
  auto const payload = repeated("a", 65'000);
  auto const pattern = repeated("a", 100) + "b";
  auto const seen = cost_of("content:\"" + pattern + "\";", payload);
  EXPECT_EQ(seen.result, chain_result::out_of_bytes);
  EXPECT_EQ(seen.bytes, search_budget::per_packet);
}

TEST(bound, rules_beyond_the_budget_of_their_packet_do_not_match_and_are_counted) {
  // Each rule's window, seven times "a" and a letter, is in the payload. A rule costs 200 bytes per position.
  std::string text;
  std::string windows;
  constexpr unsigned costly = 20;
  for (unsigned i = 0; i < costly; ++i) {
    text += "alert udp any any -> any any (content:\"aaaaaaaa\"; fast_pattern; content:\"" + repeated("a", 200) +
            std::string(1, static_cast<char>('b' + i)) + "\"; priority:1; sid:" + std::to_string(1 + i) + ";)\n";
    windows += "." + repeated("a", 7) + static_cast<char>('b' + i);
  }
  text += "alert udp any any -> any any (content:\"aaaaaaaa\"; priority:2; sid:1000;)\n";
  auto const rules = rules_of(text);
  auto const compiled = compile_rules(rules);
  inspector one{compiled, rules.rules.size(), hash_key{1, 3}, {.flows = 8, .rates = 8}};
  auto const see = [&](std::string const& payload) {
    auto const* const raw = reinterpret_cast<std::byte const*>(payload.data());
    auto const frame = test::packet_builder{}
                           .eth()
                           .ipv4("10.0.0.1", "10.0.0.2")
                           .udp(4000, 4001)
                           .payload(test::bytes{raw, raw + payload.size()})
                           .build();
    return one.inspect(frame, static_cast<std::uint32_t>(frame.size()), 1).size();
  };
  EXPECT_EQ(see(repeated("a", 1400 - windows.size()) + windows), 0U);
  auto const spent = one.judged().out_of_bytes;
  // The first rule's 1,200 positions of 201 bytes are within the budget; all others begin without enough.
  EXPECT_EQ(spent, costly);
  // The next packet has a budget of its own.
  EXPECT_EQ(see(repeated("a", 64)), 1U);
  EXPECT_EQ(one.judged().out_of_bytes, spent);
}

// A plain matcher of chains of contents: every place is tried for every check.
struct plain_check {
  std::string bytes;
  bool is_negated;
  bool is_relative;
  int distance;
  int within;  // 0: none
};

[[nodiscard]] bool matches_plainly(std::vector<plain_check> const& checks, std::size_t number, std::string const& text,
                                   int cursor) {
  if (number == checks.size()) return true;
  auto const& check = checks[number];
  int const size = static_cast<int>(text.size());
  int const length = static_cast<int>(check.bytes.size());
  int const base = check.is_relative ? cursor + check.distance : 0;
  int const end = check.within == 0 ? size : std::min(size, base + check.within);
  bool is_there = false;
  for (int at = std::max(base, 0); at + length <= end; ++at) {
    if (text.compare(static_cast<std::size_t>(at), check.bytes.size(), check.bytes) != 0) continue;
    is_there = true;
    if (!check.is_negated && matches_plainly(checks, number + 1, text, at + length)) return true;
  }
  return check.is_negated && !is_there && matches_plainly(checks, number + 1, text, cursor);
}

TEST(bound, a_chain_matches_as_a_plain_search_of_all_places_does) {
  std::mt19937 random{29};
  auto const below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  unsigned matching = 0;
  constexpr unsigned rounds = 6000;
  for (unsigned round = 0; round < rounds; ++round) {
    std::vector<plain_check> checks;
    std::string keywords;
    for (unsigned i = 0, count = 2 + below(4); i < count; ++i) {
      plain_check made{{}, i != 0 && below(4) == 0, i != 0 && below(6) != 0, 0, 0};
      // A content after a negated one that is not relative is relative to nothing.
      if (i != 0 && checks.back().is_negated && !checks.back().is_relative) made.is_relative = false;
      for (unsigned n = 0, length = 1 + below(2); n < length; ++n) made.bytes += "ab"[below(2)];
      keywords += "content:" + std::string(made.is_negated ? "!" : "") + "\"" + made.bytes + "\"; ";
      if (made.is_relative) {
        made.distance = static_cast<int>(below(5)) - 2;
        if (below(2) == 0) made.within = static_cast<int>(made.bytes.size() + below(4));
        keywords += "distance:" + std::to_string(made.distance) + "; ";
        if (made.within != 0) keywords += "within:" + std::to_string(made.within) + "; ";
      }
      checks.push_back(made);
    }
    std::string text;
    for (unsigned n = 0, size = 1 + below(12); n < size; ++n) text += "aabc"[below(4)];
    bool const expected = matches_plainly(checks, 0, text, 0);
    matching += expected ? 1 : 0;
    ASSERT_EQ(cost_of(keywords, text).result, expected ? chain_result::match : chain_result::no_match)
        << keywords << " on " << text;
  }
  EXPECT_GT(matching, rounds / 20);
  EXPECT_LT(matching, rounds - rounds / 20);
}

}  // namespace
}  // namespace packetwarp::inspect
