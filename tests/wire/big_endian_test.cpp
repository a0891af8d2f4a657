// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "wire/big_endian.h"

#include <gtest/gtest.h>

#include <array>

namespace packetwarp::wire {
namespace {

TEST(big_endian, puts_the_highest_byte_first) {
  std::array<std::byte, 8> bytes{};
  store_be<std::uint64_t>(bytes.data(), 0x0102030405060708);
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(static_cast<unsigned>(bytes[i]), i + 1);
  EXPECT_EQ(load_be<std::uint8_t>(bytes.data()), 1);
  EXPECT_EQ(load_be<std::uint16_t>(bytes.data()), 0x0102);
  EXPECT_EQ(load_be<std::uint32_t>(bytes.data()), 0x01020304U);
  EXPECT_EQ(load_be<std::uint64_t>(bytes.data()), 0x0102030405060708U);
}

TEST(big_endian, reads_and_writes_at_odd_addresses) {
  std::array<std::byte, 16> bytes{};
  for (std::size_t at = 0; at < 8; ++at) {
    store_be<std::uint64_t>(bytes.data() + at, 0x8899aabbccddeeff);
    EXPECT_EQ(load_be<std::uint64_t>(bytes.data() + at), 0x8899aabbccddeeffU);
    EXPECT_EQ(load_be<std::uint32_t>(bytes.data() + at + 1), 0x99aabbccU);
  }
}

TEST(big_endian, numbers_keep_their_value_and_compare_by_it) {
  static_assert(be16{0x1234}.value() == 0x1234);
  static_assert(be32{0x12345678}.value() == 0x12345678);
  static_assert(be64{0x123456789abcdef0}.value() == 0x123456789abcdef0);
  static_assert(be16{7} == be16{7} && be16{7} != be16{0x0700});
  static_assert(be32{}.value() == 0);
}

}  // namespace
}  // namespace packetwarp::wire
