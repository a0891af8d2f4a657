// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "routing/lpm_group_count.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

namespace packetwarp {
namespace {

// Prefixes of 20 bits and more, many of which share their first bytes.
[[nodiscard]] std::vector<lpm_prefix> some_prefixes(unsigned seed) {
  std::mt19937 random{seed};
  auto const byte = [&] { return std::uint64_t{random() % 4} * 0x40; };
  std::vector<lpm_prefix> made;
  for (int n = 0; n < 300; ++n) {
    wire::ipv6_address bits{};
    for (int i = 0; i < 8; ++i) {
      bits.high = bits.high << 8 | (i < 3 ? 0x20 : byte());
      bits.low = bits.low << 8 | byte();
    }
    made.push_back(lpm_prefix::of(bits, static_cast<unsigned>(20 + random() % 109)));
  }
  std::ranges::sort(made, {}, [](lpm_prefix const& a) { return std::tuple{a.bits.high, a.bits.low, a.length}; });
  return made;
}

TEST(lpm_group_count, is_what_a_table_takes) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    lpm_group_count count;
    lpm_table table{{}, 4096};
    for (auto const& one : some_prefixes(seed)) {
      auto const before = table.groups_free();
      ASSERT_TRUE(table.set(one, 1));
      EXPECT_EQ(count.add(one), before - table.groups_free()) << "seed " << seed;
    }
    EXPECT_EQ(count.groups(), table.groups() - table.groups_free());
  }
}

TEST(lpm_group_count, counts_a_group_for_each_24_bits_of_ipv4) {
  lpm_group_count count;
  auto const of = [](std::uint32_t address, unsigned length) {
    return lpm_prefix::of(wire::ipv4_address{address}, length);
  };
  EXPECT_EQ(count.add(of(0x0a00'0000, 24)), 0U);
  EXPECT_EQ(count.add(of(0x0a00'0000, 25)), 1U);
  EXPECT_EQ(count.add(of(0x0a00'0080, 32)), 0U);
  EXPECT_EQ(count.add(of(0x0a00'0100, 32)), 1U);
  EXPECT_EQ(count.groups(), 2U);
}

}  // namespace
}  // namespace packetwarp
