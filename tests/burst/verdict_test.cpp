// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/verdict.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace packetwarp {
namespace {

constexpr std::array all_moves{front_move::none, front_move::push_4, front_move::push_8, front_move::pop_4,
                               front_move::pop_8};

TEST(verdict, keeps_every_egress_it_can_name) {
  for (std::uint16_t n = 0; n < max_egresses; ++n) {
    auto const v = verdict::forward(egress_index{n});
    ASSERT_EQ(v.what(), verdict::action::forward);
    ASSERT_EQ(v.to(), egress_index{n});
  }
}

TEST(verdict, keeps_every_drop_reason_it_can_name) {
  for (std::uint16_t n = 0; n < max_drop_reasons; ++n) {
    auto const v = verdict::drop(drop_reason{n});
    ASSERT_EQ(v.what(), verdict::action::drop);
    ASSERT_EQ(v.why(), drop_reason{n});
    ASSERT_EQ(v.move(), front_move::none);
  }
}

TEST(verdict, differs_between_any_two_actions_and_arguments) {
  std::set<std::uint16_t> seen;
  for (std::uint16_t n = 0; n < max_egresses; ++n) {
    for (auto const move : all_moves) {
      EXPECT_TRUE(seen.insert(verdict::forward(egress_index{n}, move).raw()).second) << n;
    }
  }
  for (std::uint16_t n = 0; n < max_drop_reasons; ++n) {
    for (auto const move : all_moves) {
      EXPECT_TRUE(seen.insert(verdict::drop(drop_reason{n}, move).raw()).second) << n;
    }
  }
  for (std::uint16_t n = 0; n < punt_reasons; ++n) {
    EXPECT_TRUE(seen.insert(verdict::punt(punt_reason{n}).raw()).second) << n;
  }
  EXPECT_EQ(verdict::punt().what(), verdict::action::punt);
}

TEST(verdict, of_a_forwarded_packet_says_where_it_goes_and_where_it_starts) {
  for (auto const move : all_moves) {
    auto const v = verdict::forward(egress_index{max_egresses - 1}, move);
    EXPECT_EQ(v.what(), verdict::action::forward);
    EXPECT_EQ(v.to(), egress_index{max_egresses - 1});
    EXPECT_EQ(v.move(), move);
  }
  EXPECT_EQ(bytes_pushed(front_move::push_8), 8);
  EXPECT_EQ(bytes_pushed(front_move::pop_4), -4);
  for (auto const move : all_moves) EXPECT_EQ(front_move_by(bytes_pushed(move)), move);
}

TEST(verdict, of_a_dropped_packet_says_why_and_where_it_starts) {
  for (auto const move : all_moves) {
    auto const v = verdict::drop(drop_reason{max_drop_reasons - 1}, move);
    EXPECT_EQ(v.what(), verdict::action::drop);
    EXPECT_EQ(v.why(), drop_reason{max_drop_reasons - 1});
    EXPECT_EQ(v.move(), move);
    EXPECT_EQ(v.needs_bytes(), move != front_move::none);
  }
  EXPECT_TRUE(verdict::forward(egress_index{0}).needs_bytes());
  EXPECT_TRUE(verdict::punt().needs_bytes());
  EXPECT_EQ(verdict::hand_over(gpu_position{7}).move(), front_move::none);
}

TEST(verdict, with_a_copy_says_all_that_it_says_without_one) {
  std::vector<verdict> plain;
  for (auto const move : all_moves) plain.push_back(verdict::forward(egress_index{max_egresses - 1}, move));
  plain.push_back(verdict::drop(function_drop(max_drop_reasons)));
  plain.push_back(verdict::punt(punt_reason::needs_fragmentation));
  plain.push_back(verdict::hand_over(gpu_position{7}));
  for (auto const v : plain) {
    auto const copied = v.with_copy();
    EXPECT_FALSE(v.has_copy());
    EXPECT_TRUE(copied.has_copy());
    EXPECT_NE(copied, v);
    EXPECT_EQ(copied.without_copy(), v);
    EXPECT_EQ(copied.what(), v.what());
    EXPECT_EQ(copied.to(), v.to());
    EXPECT_EQ(copied.move(), v.move());
    EXPECT_EQ(copied.why(), v.why());
    EXPECT_EQ(copied.why_punted(), v.why_punted());
    EXPECT_EQ(copied.to_gpu(), v.to_gpu());
  }
}

TEST(punt_reason, each_has_a_name_of_its_own) {
  std::set<std::string> names;
  for (std::uint16_t n = 0; n < punt_reasons; ++n) {
    EXPECT_TRUE(names.insert(std::string{to_string(punt_reason{n})}).second) << n;
    EXPECT_EQ(verdict::punt(punt_reason{n}).why_punted(), punt_reason{n});
  }
  EXPECT_FALSE(names.contains(""));
  EXPECT_EQ(to_string(punt_reason{punt_reasons}), "");
}

TEST(verdict, comes_back_from_its_raw_form) {
  for (auto const v : {verdict::forward(egress_index{3}), verdict::drop(drop_reason::shutdown), verdict::punt()}) {
    EXPECT_EQ(verdict::from_raw(v.raw()), v);
  }
  EXPECT_NE(verdict::forward(egress_index{3}), verdict::forward(egress_index{4}));
  EXPECT_NE(verdict::forward(egress_index{1}), verdict::drop(drop_reason{1}));
}

TEST(verdict, of_zeroed_memory_forwards_by_the_first_egress) {
  // A GPU's result array starts zeroed: a zero must at least be a defined verdict.
  EXPECT_EQ(verdict::from_raw(0), verdict::forward(egress_index{0}));
}

TEST(drop_reason, of_the_data_path_each_have_a_name_of_their_own) {
  std::set<std::string> names;
  for (std::uint16_t n = 0; n <= static_cast<std::uint16_t>(drop_reason::tx_too_long); ++n) {
    std::string const name{data_path_drop_name(drop_reason{n})};
    EXPECT_FALSE(name.empty()) << n;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_EQ(data_path_drop_name(drop_reason::tx_full), "tx_full");
  EXPECT_EQ(data_path_drop_name(drop_reason::tx_chained), "tx_chained");
  EXPECT_EQ(data_path_drop_name(drop_reason::gpu_failed), "gpu_failed");
}

TEST(drop_reason, of_a_function_have_no_data_path_name) {
  for (std::uint16_t n = static_cast<std::uint16_t>(drop_reason::tx_too_long) + 1; n < max_drop_reasons; ++n) {
    EXPECT_EQ(data_path_drop_name(drop_reason{n}), "") << n;
  }
}

TEST(drop_reason, of_a_function_starts_behind_the_data_path_s_and_fits_the_counters) {
  EXPECT_EQ(function_drop(0), drop_reason::first_of_function);
  EXPECT_EQ(static_cast<std::uint16_t>(function_drop(47)), max_drop_reasons - 1);
  EXPECT_GT(drop_reason::first_of_function, drop_reason::gpu_failed);
}

}  // namespace
}  // namespace packetwarp
