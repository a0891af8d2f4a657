// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/function.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

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

}  // namespace
}  // namespace packetwarp
