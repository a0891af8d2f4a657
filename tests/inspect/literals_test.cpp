// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Literals in megabytes of payloads: the prefilter and the checks of contents against two searches that share no code
// with them.
#include <gtest/gtest.h>
#if defined(PACKETWARP_HYPERSCAN)
#include <hs/hs.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "fixtures/repetitions.h"
#include "inspect/compiled/compile.h"
#include "inspect/compiled/prefilter.h"
#include "inspect/made_rules.h"
#include "inspect/match/chain.h"

namespace packetwarp::inspect {
namespace {

// The payload's number and the literal's, for each literal that is in a payload.
using literal_hits = std::set<std::pair<std::uint32_t, std::uint32_t>>;

// Literals of few letters, so that many nearly match, and payloads that have some of them.
struct literal_case {
  std::vector<std::string> literals{};
  std::vector<std::string> payloads{};
};

// PACKETWARP_LITERAL_MEGABYTES: of payloads; 4 without it, and 1 under a sanitizer.
[[nodiscard]] literal_case make_case() {
  auto const* wanted = std::getenv("PACKETWARP_LITERAL_MEGABYTES");
  auto const bytes = std::strtoul(wanted == nullptr ? test::repetitions("4", "1") : wanted, nullptr, 10) << 20;
  std::mt19937 random{11};
  auto const letters = [&](std::size_t length) {
    std::string made;
    for (std::size_t i = 0; i < length; ++i) made.push_back("abcdefABCDEF/.\0="[random() % 16]);
    return made;
  };
  literal_case made;
  for (int i = 0; i < 3000; ++i) made.literals.push_back(letters(4 + random() % 20));
  for (std::size_t written = 0; written < bytes; written += made.payloads.back().size()) {
    auto payload = letters(random() % 1400);
    auto const& planted = made.literals[random() % made.literals.size()];
    if (random() % 2 == 0 && planted.size() < payload.size())
      payload.replace(random() % (payload.size() - planted.size()), planted.size(), planted);
    made.payloads.push_back(std::move(payload));
  }
  return made;
}

[[nodiscard]] std::string as_bytes(std::string const& literal) {
  std::string made = "|";
  for (char const c : literal) {
    auto const number = static_cast<unsigned>(static_cast<unsigned char>(c));
    for (auto const digit : {number >> 4, number & 15U}) made.push_back("0123456789abcdef"[digit]);
  }
  return made + "|";
}

[[nodiscard]] literal_hits hits_of_rules(literal_case const& given) {
  std::string text;
  std::size_t sid = 0;
  for (auto const& literal : given.literals) text += rule_with("content:\"" + as_bytes(literal) + "\";", "tcp", ++sid);
  auto const compiled = compile_rules(rules_of(text));
  auto const rules = compiled.ref();
  auto const no_regex = [](auto...) { return false; };
  literal_hits made;
  for (std::uint32_t number = 0; number < given.payloads.size(); ++number) {
    auto const* bytes = reinterpret_cast<std::byte const*>(given.payloads[number].data());
    auto const size = static_cast<std::uint32_t>(given.payloads[number].size());
    for (std::uint32_t at = 0; at < size; ++at) {
      search_windows(rules, bytes, size, at, [&](std::uint32_t place) {
        auto const& rule = rules.rule(place);
        search_budget budget;
        auto const found = matches_chain(rules, rule.checks, bytes, size, no_regex, budget);
        if (found == chain_result::match) made.emplace(number, rule.number);
      });
    }
  }
  return made;
}

// Each position, with the literals that begin with its four bytes.
[[nodiscard]] literal_hits hits_of_comparing(literal_case const& given) {
  std::unordered_map<std::string, std::vector<std::uint32_t>> by_begin;
  for (std::uint32_t i = 0; i < given.literals.size(); ++i) by_begin[given.literals[i].substr(0, 4)].push_back(i);
  literal_hits made;
  for (std::uint32_t number = 0; number < given.payloads.size(); ++number) {
    auto const& payload = given.payloads[number];
    for (std::size_t at = 0; at + 4 <= payload.size(); ++at) {
      auto const found = by_begin.find(payload.substr(at, 4));
      if (found == by_begin.end()) continue;
      for (auto const literal : found->second) {
        auto const& bytes = given.literals[literal];
        if (payload.compare(at, bytes.size(), bytes) == 0) made.emplace(number, literal);
      }
    }
  }
  return made;
}

TEST(literals, are_found_where_a_plain_comparison_finds_them) {
  auto const given = make_case();
  auto const found = hits_of_rules(given);
  EXPECT_GT(found.size(), given.payloads.size() / 3);
  EXPECT_TRUE(found == hits_of_comparing(given));
}

#if defined(PACKETWARP_HYPERSCAN)
[[nodiscard]] literal_hits hits_of_hyperscan(literal_case const& given) {
  std::vector<char const*> texts;
  std::vector<std::size_t> sizes;
  std::vector<unsigned> numbers;
  std::vector<unsigned> const flags(given.literals.size(), HS_FLAG_SINGLEMATCH);
  for (auto const& literal : given.literals) {
    numbers.push_back(static_cast<unsigned>(numbers.size()));
    texts.push_back(literal.data());
    sizes.push_back(literal.size());
  }
  hs_database_t* database = nullptr;
  hs_compile_error_t* error = nullptr;
  EXPECT_EQ(hs_compile_lit_multi(texts.data(), flags.data(), numbers.data(), sizes.data(),
                                 static_cast<unsigned>(texts.size()), HS_MODE_BLOCK, nullptr, &database, &error),
            HS_SUCCESS);
  std::unique_ptr<hs_database_t, decltype(&hs_free_database)> const database_owner{database, hs_free_database};
  hs_scratch_t* scratch = nullptr;
  EXPECT_EQ(hs_alloc_scratch(database, &scratch), HS_SUCCESS);
  std::unique_ptr<hs_scratch_t, decltype(&hs_free_scratch)> const scratch_owner{scratch, hs_free_scratch};
  struct place {
    literal_hits hits;
    std::uint32_t number;
  } made{};
  auto const add = [](unsigned literal, unsigned long long, unsigned long long, unsigned, void* to) {
    auto& into = *static_cast<place*>(to);
    into.hits.emplace(into.number, literal);
    return 0;
  };
  for (; made.number < given.payloads.size(); ++made.number) {
    auto const& payload = given.payloads[made.number];
    EXPECT_EQ(hs_scan(database, payload.data(), static_cast<unsigned>(payload.size()), 0, scratch, add, &made),
              HS_SUCCESS);
  }
  return made.hits;
}

TEST(literals, are_found_where_hyperscan_finds_them) {
  auto const given = make_case();
  EXPECT_TRUE(hits_of_rules(given) == hits_of_hyperscan(given));
}
#else
TEST(literals, are_found_where_hyperscan_finds_them) {
  GTEST_SKIP() << "Hyperscan (libhyperscan-dev) is not installed";
}
#endif

}  // namespace
}  // namespace packetwarp::inspect
