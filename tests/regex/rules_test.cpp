// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The expressions of rules in the folder that PACKETWARP_RULES names: each answer against PCRE2's, and how many have
// which automaton.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "inspect/language/rule_file.h"
#include "regex/finds.h"
#include "regex/made_expressions.h"
#include "regex/oracle.h"

namespace packetwarp::regex {
namespace {

using expression = std::pair<std::string, std::string>;  // with its modifiers

struct rule_expressions {
  std::set<expression> all{};
  std::set<expression> of_packets{};  // of rules that look at nothing but payloads
};

[[nodiscard]] rule_expressions expressions_of(std::string const& folder) {
  std::vector<std::string> paths;
  for (auto const& entry : std::filesystem::directory_iterator{folder}) {
    if (entry.path().extension() == ".rules") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  inspect::variables const known;
  auto const rules = inspect::read_rule_files(paths, known);
  rule_expressions made;
  for (auto const& rule : rules.rules) {
    bool has_http = rule.protocol == inspect::rule_protocol::http;
    for (auto const& check : rule.payload) {
      std::visit(
          [&](auto const& one) {
            if constexpr (requires { one.where; }) has_http = has_http || one.where != inspect::rule_buffer::payload;
          },
          check);
    }
    for (auto const& check : rule.payload) {
      auto const* const regex = std::get_if<inspect::regex_check>(&check);
      if (regex == nullptr) continue;
      made.all.emplace(regex->pattern, regex->modifiers);
      if (!has_http) made.of_packets.emplace(regex->pattern, regex->modifiers);
    }
  }
  return made;
}

void print(char const* title, std::set<expression> const& all) {
  std::map<std::string_view, std::size_t> counts;
  std::vector<std::size_t> bytes[2];
  auto const begin = std::chrono::steady_clock::now();
  for (auto const& [pattern, modifiers] : all) {
    auto const made = compile(pattern, modifiers);
    if (!made) {
      ++counts[name_of(made.why)];
    } else {
      auto const& header = made.ref().header();
      bytes[header.kind == automaton_kind::dfa ? 0 : 1].push_back(header.bytes);
    }
  }
  auto const took = std::chrono::duration<double>{std::chrono::steady_clock::now() - begin}.count();
  std::cout << title << ": " << all.size() << " expressions, compiled in " << took << " s\n";
  for (auto& sizes : bytes) {
    std::sort(sizes.begin(), sizes.end());
    std::size_t sum = 0;
    for (auto const size : sizes) sum += size;
    std::cout << "  " << (&sizes == bytes ? "DFA: " : "bit NFA: ") << sizes.size() << ", " << sum << " bytes";
    if (!sizes.empty()) std::cout << ", median " << sizes[sizes.size() / 2] << ", largest " << sizes.back();
    std::cout << "\n";
  }
  for (auto const& [why, count] : counts) std::cout << "  refused: " << why << ": " << count << "\n";
}

// Letters of an expression's own text, so that parts of it match.
[[nodiscard]] std::string text_like(std::string const& pattern, expression_maker& random) {
  std::string made;
  auto const size = static_cast<std::uint32_t>(pattern.size());
  for (auto left = random.below(12); left != 0; --left) {
    auto const begin = random.below(size);
    made += random.below(4) == 0 ? random.text(4) : pattern.substr(begin, random.below(40));
  }
  if (random.below(2) == 0) std::erase(made, '\\');
  return made;
}

TEST(rules, expressions_have_the_answers_of_pcre2) {
  auto const* const folder = std::getenv("PACKETWARP_RULES");
  if (folder == nullptr) GTEST_SKIP() << "PACKETWARP_RULES names no folder of rule files";
  auto const found = expressions_of(folder);
  ASSERT_FALSE(found.all.empty());
  print("all rules", found.all);
  print("rules without http keywords", found.of_packets);
  expression_maker random{3};
  std::size_t matched = 0;
  std::size_t unmatched = 0;
  for (auto const& [pattern, modifiers] : found.all) {
    auto const made = compile(pattern, modifiers);
    oracle pcre{pattern, modifiers};
    if (!made || pattern.empty() || !pcre.compiles()) continue;
    pcre.use_jit();
    auto const through = resolve(write_out(parse(pattern, modifiers)));
    for (int i = 0; i < 20; ++i) {
      auto text = i < 10 ? text_like(pattern, random)
                         : walk(through, 2000, [&](std::uint32_t end) { return random.below(end); });
      if (i >= 16 && !text.empty()) text[random.below(static_cast<std::uint32_t>(text.size()))] = 'a';
      auto const wanted = pcre.matches(text);
      if (!wanted) continue;
      ASSERT_EQ(finds(made, text), *wanted)
          << "/" << pattern << "/" << modifiers << " in " << testing::PrintToString(text);
      ++(*wanted ? matched : unmatched);
    }
  }
  std::cout << "matches: " << matched << ", others: " << unmatched << "\n";
  EXPECT_GT(matched, found.all.size());
  EXPECT_GT(unmatched, found.all.size());
}

}  // namespace
}  // namespace packetwarp::regex
