// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace packetwarp::model::test {
namespace {

constexpr result_range wide{.low = -1'000'000'000, .high = 1'000'000'000, .zero_point = 0};

TEST(fixed_point, a_half_is_rounded_up) {
  auto const half = *factor_of(0.5);
  EXPECT_EQ(rescaled(3, half, wide), 2);    // 1.5
  EXPECT_EQ(rescaled(1, half, wide), 1);    // 0.5
  EXPECT_EQ(rescaled(-1, half, wide), 0);   // -0.5
  EXPECT_EQ(rescaled(-3, half, wide), -1);  // -1.5
  EXPECT_EQ(rescaled(-4, half, wide), -2);
}

TEST(fixed_point, bounds_come_before_the_zero_point) {
  auto const one = *factor_of(1);
  constexpr result_range range{.low = -10, .high = 20, .zero_point = 100};
  EXPECT_EQ(rescaled(15, one, range), 115);
  EXPECT_EQ(rescaled(50, one, range), 120);
  EXPECT_EQ(rescaled(-50, one, range), 90);
  EXPECT_EQ(rescaled(std::numeric_limits<std::int32_t>::max(), *factor_of(1e8), range), 120);
  EXPECT_EQ(rescaled(std::numeric_limits<std::int32_t>::min(), *factor_of(1e8), range), 90);
}

TEST(fixed_point, a_factor_has_31_bits_of_the_number) {
  EXPECT_EQ(*factor_of(1), (fixed_factor{.multiplier = 1 << 30, .shift = 30}));
  EXPECT_EQ(*factor_of(0.75), (fixed_factor{.multiplier = 3 << 29, .shift = 31}));
  EXPECT_EQ(factor_of(1 - 1e-17)->multiplier, 1 << 30);
  std::mt19937 random{1};
  std::uniform_real_distribution<double> exponents{-25, 25};
  for (int i = 0; i < 1000; ++i) {
    auto const number = std::exp2(exponents(random));
    auto const factor = *factor_of(number);
    EXPECT_GE(factor.shift, 1);
    EXPECT_LE(factor.shift, 62);
    EXPECT_NEAR(std::ldexp(factor.multiplier, -factor.shift) / number, 1, 1e-9);
  }
}

TEST(fixed_point, numbers_without_a_factor_have_none) {
  for (auto const number : {0.0, -1.0, std::exp2(30), std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_FALSE(factor_of(number)) << number;
  }
  EXPECT_EQ(factor_of(1e-300)->multiplier, 0);
  EXPECT_EQ(rescaled(std::numeric_limits<std::int32_t>::min(), *factor_of(1e-300), wide), 0);
}

TEST(fixed_point, the_rule_is_the_exact_product_rounded) {
  std::mt19937_64 random{2};
  for (int i = 0; i < 10000; ++i) {
    auto const sum = static_cast<std::int32_t>(random());
    auto const factor =
        *factor_of(std::exp2(-static_cast<double>(random() % 33)) * (1 + static_cast<double>(random() % 1000) / 1000));
    auto const exact = static_cast<__int128>(sum) * factor.multiplier * 2 + (static_cast<__int128>(1) << factor.shift);
    auto const divisor = static_cast<__int128>(2) << factor.shift;
    auto rounded = exact / divisor;
    if (exact < 0 && exact % divisor != 0) --rounded;
    if (rounded < wide.low) rounded = wide.low;
    if (rounded > wide.high) rounded = wide.high;
    EXPECT_EQ(rescaled(sum, factor, wide), static_cast<std::int32_t>(rounded));
  }
}

}  // namespace
}  // namespace packetwarp::model::test
