// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "file/yaml_place.h"
#include "function/chain.h"
#include "function/function_facts.h"
#include "function/nat44/nat44.h"
#include "function/router/router.h"
#include "function/rules/rules.h"
#include "function/switched.h"
#include "module/modules.h"

namespace packetwarp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using general = chain<switched<rules>, switched<nat44>, router>;

// The chain of a file of this text.
[[nodiscard]] function_facts const& chosen(std::string const& text) {
  auto const path = std::filesystem::path{testing::TempDir()} / "chain_test.yaml";
  std::ofstream{path} << text;
  auto const& found = chain_of(read_yaml(path.string()));
  std::filesystem::remove(path);
  return found;
}
[[nodiscard]] std::string refusal_of(std::string const& text) {
  try {
    return "not refused: " + std::string{chosen(text).name};
  } catch (usage_error const& error) {
    return error.what();
  }
}

constexpr auto of_all = "rules: {}\nnat44: {}\nroutes: []\n";

TEST(chain_of, picks_the_chain_that_is_compiled_by_itself) {
  EXPECT_EQ(&chosen("interfaces: []\n"), &facts_of<router>);
  EXPECT_EQ(&chosen("rules: {}\n"), &facts_of<rules>);
  EXPECT_EQ(&chosen("rules: {}\nroutes: []\n"), (&facts_of<chain<rules, router>>));
  EXPECT_EQ(&chosen("nat44: {}\n"), (&facts_of<chain<nat44, router>>));
  EXPECT_EQ(&chosen(of_all), (&facts_of<chain<rules, nat44, router>>));
  EXPECT_EQ(&chosen("chain_as: special\nnat44: {}\n"), (&facts_of<chain<nat44, router>>));
  EXPECT_TRUE(chosen(of_all).part_of.empty());
}

TEST(chain_of, is_a_part_of_the_general_chain_where_a_file_asks_for_that) {
  struct {
    std::string text;
    std::vector<std::string_view> stages;
    std::string_view name;
  } const cases[]{{"interfaces: []\n", {"router"}, "router"},
                  {"rules: {}\nroutes: []\n", {"rules", "router"}, "rules, router"},
                  {"nat44: {}\n", {"nat44", "router"}, "nat44"},
                  {of_all, {"rules", "nat44", "router"}, "rules, nat44"},
                  {"chain: [rules, nat44]\nrules: {}\nnat44: {}\n", {"rules", "nat44", "router"}, "rules, nat44"}};
  for (auto const& one : cases) {
    auto const& part = chosen("chain_as: general\n" + one.text);
    EXPECT_TRUE(std::ranges::equal(part.stages, one.stages)) << one.text;
    EXPECT_EQ(part.name, one.name);
    EXPECT_TRUE(std::ranges::equal(part.part_of, general::stage_names));
    EXPECT_EQ(&part, &chosen("chain_as: general\n" + one.text)) << "one chain has one address";
    EXPECT_NE(&part, &chosen(one.text));
  }
}

// The number of a reason is the compiled chain's; its name is there only where its stage is on.
TEST(chain_of, knows_no_drop_name_of_a_stage_that_is_off) {
  auto const& part = chosen("chain_as: general\nnat44: {}\n");
  ASSERT_EQ(part.drop_names.size(), general::drop_names.size());
  for (std::size_t n = 0; n < part.drop_names.size(); ++n) {
    bool const is_off = general::drop_stages[n] == "rules";
    EXPECT_EQ(part.drop_names[n], is_off ? std::string_view{} : general::drop_names[n]);
    EXPECT_EQ(part.drop_stages[n], is_off ? std::string_view{} : general::drop_stages[n]);
  }
  EXPECT_THAT(part.drop_names, testing::Contains("no_session"));
  EXPECT_EQ(part.care, table_care::swept);
  EXPECT_EQ(chosen("chain_as: general\nrules: {}\nroutes: []\n").care, table_care::none);
}

// A file's stages are put into a chain in the order of modules (chain.cpp), so a chain that chains.cmake lists in
// another order would be for nothing.
TEST(chain_of, finds_each_compiled_chain_by_the_order_of_modules) {
  std::vector<std::string_view> order;
  for (auto const* const kind : module_kinds()) order.insert(order.begin(), kind->name());
  auto const place_of = [&](std::string_view stage) { return std::ranges::find(order, stage) - order.begin(); };
  std::vector<function_facts const*> all;
  for (auto const* const one : compiled_function_facts()) all.push_back(one);
  for (auto const* const one : general_function_facts()) all.push_back(one);
  for (auto const* const one : all) {
    std::vector<std::ptrdiff_t> places;
    for (auto const stage : one->stages) {
      // Stages without a module are for runs without a file.
      if (place_of(stage) != std::ssize(order)) places.push_back(place_of(stage));
    }
    EXPECT_TRUE(std::ranges::is_sorted(places)) << one->name << ": modules.cpp has another order than chains.cmake";
  }
}

TEST(chain_of, refuses_what_no_chain_runs_and_names_those_that_there_are) {
  EXPECT_THAT(refusal_of("chain: [nat44, rules]\nrules: {}\nnat44: {}\n"),
              HasSubstr("chain: no chain [nat44, rules] is compiled; there are [rules], [router], [rules, router], "
                        "[nat44, router], [rules, nat44, router], [detect, router], [inspect, router], and parts of "
                        "[rules, nat44, router], and parts of [rules, detect, nat44, router], and parts of "
                        "[rules, inspect, nat44, router]"));
  EXPECT_THAT(refusal_of("chain_as: general\nrules: {}\n"),
              HasSubstr("chain_as: the general chain does not run [rules]: it routes"));
  EXPECT_THAT(refusal_of("chain_as: quick\n"), HasSubstr("chain_as: 'quick' is none of special, general"));
  EXPECT_THAT(refusal_of("chain_as: general\nchain: [router]\nnat44: {}\n"),
              HasSubstr("nat44: the chain has no stage 'nat44'"));
}

}  // namespace
}  // namespace packetwarp
