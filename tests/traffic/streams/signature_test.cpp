// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/streams/signature.h"

#include <gtest/gtest.h>

#include <array>

namespace packetwarp::traffic {
namespace {

using place = std::array<std::byte, signature_length>;

place write(signature const& s, signature_key key) {
  place made{};
  write_signature(made.data(), s, key);
  return made;
}

TEST(signature, is_read_back_as_it_was) {
  for (signature const& s : {signature{}, signature{255, ticks_mask, index_mask}, signature{7, 0x123456789a, 42}}) {
    EXPECT_EQ(read_signature(write(s, {9}).data(), {9}), s);
  }
}

TEST(signature, lies_where_its_page_says) {
  place const made = write({0xab, 0x1122334455, 0x66778899aabb}, {1});
  std::array<unsigned, 12> const expected{0xab, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(static_cast<unsigned>(made[4 + i]), expected[i]) << i;
}

TEST(signature, of_another_run_is_none) {
  place const made = write({1, 2, 3}, {9});
  EXPECT_FALSE(read_signature(made.data(), {10}));
}

TEST(signature, with_any_bit_flipped_is_none) {
  place const made = write({1, 2, 3}, {9});
  for (std::size_t bit = 0; bit < 8 * made.size(); ++bit) {
    place flipped = made;
    flipped[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    EXPECT_FALSE(read_signature(flipped.data(), {9})) << bit;
  }
}

TEST(signature, of_zeros_is_none) { EXPECT_FALSE(read_signature(place{}.data(), {1})); }

TEST(ticks_between, goes_on_when_the_sent_time_wraps) {
  EXPECT_EQ(ticks_between(5, 12), 7U);
  EXPECT_EQ(ticks_between(ticks_mask - 1, ticks_mask + 4), 5U);
  EXPECT_EQ(ticks_between(((std::uint64_t{3} << 40) + 5) & ticks_mask, (std::uint64_t{3} << 40) + 12), 7U);
}

}  // namespace
}  // namespace packetwarp::traffic
