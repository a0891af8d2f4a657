// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "base/units.h"

namespace packetwarp {
namespace {

template <class Value>
struct formatted {
  Value value;
  std::string_view text;
};

TEST(format_si, shows_three_digits_and_moves_up_a_prefix_where_they_round_to_it) {
  std::vector<formatted<double>> const table{{0, "0"},          {640, "640"},        {0.5, "0.50"},
                                             {31.84, "31.8"},   {999, "999"},        {999.6, "1.00 k"},
                                             {1'000, "1.00 k"}, {12.34e6, "12.3 M"}, {999.6e6, "1.00 G"},
                                             {100e9, "100 G"},  {-1'500, "-1.50 k"}, {5e21, "5000 E"}};
  for (auto const& [value, text] : table) EXPECT_EQ(format_si(value), text) << value;
}

TEST(format_si, survives_what_is_no_number) {
  EXPECT_EQ(format_si(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(format_si(std::numeric_limits<double>::infinity()), "inf E");
}

TEST(format_size, counts_in_factors_of_1024) {
  std::vector<formatted<std::uint64_t>> const table{{0, "0 B"},
                                                    {512, "512 B"},
                                                    {1'023, "1023 B"},
                                                    {1'536, "1.50 KiB"},
                                                    {3ull << 29, "1.50 GiB"},
                                                    {(1ull << 20) - 1, "1.00 MiB"},
                                                    {std::numeric_limits<std::uint64_t>::max(), "16.0 EiB"}};
  for (auto const& [value, text] : table) EXPECT_EQ(format_size(value), text) << value;
}

TEST(format_duration, picks_ns_us_ms_or_s) {
  std::vector<formatted<double>> const table{{0, "0 ns"},        {6.25, "6.25 ns"},  {512, "512 ns"},
                                             {6'900, "6.90 us"}, {1.5e6, "1.50 ms"}, {3'600e9, "3600 s"}};
  for (auto const& [value, text] : table) EXPECT_EQ(format_duration(value), text) << value;
}

}  // namespace
}  // namespace packetwarp
