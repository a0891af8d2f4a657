// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/function.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/error.h"
#include "function/compiled.h"

namespace packetwarp {
namespace {

// Drops everything for one of two reasons.
struct picky {
  struct ref {};
  static constexpr std::string_view name = "picky";
  static constexpr bool follows_from_header = true;
  static constexpr std::array<std::string_view, 2> drop_names{"too_short", "too_long"};
  static verdict process(packet_view packet, ref const&) {
    return verdict::drop(function_drop(packet.length < 100 ? 0 : 1));
  }
};
static_assert(packet_function<picky>);

// Its ref begins with an egress, as that of a function without tables does.
struct with_an_egress_and_tables {
  struct ref {
    egress_index egress;
    std::uint32_t const* limits;
  };
};
static_assert(!has_no_tables<with_an_egress_and_tables>, "only a function that says by `change` that it has none");
static_assert(has_no_tables<forward> && has_no_tables<swap_payload> && !has_no_tables<router>);

struct without_drop_names {
  struct ref {};
  static constexpr std::string_view name = "without_drop_names";
  static constexpr bool follows_from_header = true;
  static verdict process(packet_view, ref const&) { return verdict::punt(); }
};
static_assert(!packet_function<without_drop_names>);

struct with_an_owning_ref {
  struct ref {
    std::unique_ptr<int> table;
  };
  static constexpr std::string_view name = "with_an_owning_ref";
  static constexpr bool follows_from_header = true;
  static constexpr std::array<std::string_view, 1> drop_names{"any"};
  static verdict process(packet_view, ref const&) { return verdict::punt(); }
};
static_assert(!packet_function<with_an_owning_ref>, "what goes to a GPU by value owns nothing");

template <std::size_t DropReasons>
struct with_drop_reasons {
  struct ref {};
  static constexpr std::string_view name = "with_drop_reasons";
  static constexpr bool follows_from_header = true;
  static constexpr std::array<std::string_view, DropReasons> drop_names{};
  static verdict process(packet_view, ref const&) { return verdict::punt(); }
};
static_assert(packet_function<with_drop_reasons<48>>);
static_assert(!packet_function<with_drop_reasons<49>>, "every reason is a counter, and there are 64");

TEST(drop_name, of_a_function_s_own_reasons_comes_from_its_list) {
  EXPECT_EQ(drop_name<picky>(function_drop(0)), "too_short");
  EXPECT_EQ(drop_name<picky>(function_drop(1)), "too_long");
}

TEST(drop_name, of_the_data_path_s_reasons_is_the_same_for_every_function) {
  EXPECT_EQ(drop_name<picky>(drop_reason::tx_full), "tx_full");
  EXPECT_EQ(drop_name<picky>(drop_reason::shutdown), "shutdown");
}

TEST(drop_name, of_a_reason_nobody_gives_is_empty) {
  EXPECT_EQ(drop_name<picky>(function_drop(2)), "");
  EXPECT_EQ(drop_name<picky>(drop_reason{15}), "");
  EXPECT_EQ(drop_name<picky>(drop_reason{0x3fff}), "");
}

TEST(function_facts, say_of_a_drop_which_stage_gives_it) {
  auto const stage_of = [](function_facts const& function, std::string_view name, std::size_t from) {
    auto const& names = function.drop_names;
    auto const at = std::find(names.begin() + static_cast<std::ptrdiff_t>(from), names.end(), name);
    return function.drop_stages[static_cast<std::size_t>(at - names.begin())];
  };
  EXPECT_EQ(stage_of(facts_of<rules>, "rule_drop", 0), "rules");
  EXPECT_EQ(stage_of(facts_of<router>, "runt", 0), "router");
  EXPECT_EQ(stage_of(facts_of<chain<nat44, router>>, "source_routed", 0), "router");
  EXPECT_EQ(stage_of(facts_of<chain<nat44, router>>, "no_session", 0), "nat44");
  auto const& all = facts_of<chain<rules, nat44, router>>;
  EXPECT_EQ(stage_of(all, "runt", 0), "router");
  EXPECT_EQ(stage_of(all, "runt", 1), "rules") << "both have one";
  EXPECT_EQ(stage_of(all, "no_session", 0), "nat44");
  EXPECT_EQ(stage_of(facts_of<chain<rules, router>>, "source_routed", 0), "router");
}

TEST(function_facts, say_what_plans_have_to_know) {
  EXPECT_EQ(facts_of<forward>.leaves, departure::by_peer);
  EXPECT_EQ(facts_of<swap_payload>.reach, payload_reach::payload);
  EXPECT_EQ((facts_of<chain<rules, router>>.leaves), departure::by_any_port);
  EXPECT_EQ((facts_of<chain<rules, router>>.care), table_care::none);
  EXPECT_EQ((facts_of<chain<rules, nat44, router>>.care), table_care::swept);
  EXPECT_TRUE((facts_of<chain<rules, nat44, router>>.has_stage("nat44")));
  EXPECT_FALSE((facts_of<chain<rules, router>>.has_stage("nat44")));
}

TEST(function_facts, say_what_becomes_of_a_frame_where_no_table_does) {
  EXPECT_EQ(facts_of<forward>.change, frame_change::macs_swapped);
  EXPECT_EQ(facts_of<swap_payload>.change, frame_change::payload_swapped);
  EXPECT_FALSE(facts_of<forward>.needs_tables());
  EXPECT_TRUE(facts_of<rules>.needs_tables());
  EXPECT_TRUE((facts_of<chain<rules, router>>.needs_tables()));
}

TEST(function_facts, are_found_by_stages_and_no_others_are) {
  for (auto const* one : compiled_function_facts()) EXPECT_EQ(&compiled_function(one->stages), one);
  std::array<std::string_view, 2> const asked{"router", "nat44"};
  EXPECT_THROW((void)compiled_function(asked), failure);
}

}  // namespace
}  // namespace packetwarp
