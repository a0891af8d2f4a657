// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <type_traits>

#include "burst/near_header.h"
#include "parity/corpus.h"
#include "parity/tables.h"

namespace packetwarp::test {
namespace {

// A function's result for a packet: its verdict, and the bytes that are near and the bytes after them.
struct processed {
  verdict said;
  bytes near;
  bytes far;
};

// first: the bytes of the packet's first mbuf, or fewer. length: the length that the function is told. whole: the same,
// as it was received, for joint work that reaches payloads.
template <packet_function F>
[[nodiscard]] processed process(bytes const& first, bytes whole, std::uint32_t length, typename F::ref const& tables) {
  bytes memory(near_headroom);
  memory.insert(memory.end(), first.begin(), first.end());
  auto const said = process_by_itself<F>({whole.data(), length, length},
                                         {memory.data() + near_headroom, length, length}, tables, first_epoch);
  auto const end = std::span{memory}.subspan(std::min<std::size_t>(memory.size(), near_headroom + near_bytes));
  return {said, {memory.begin(), memory.end() - static_cast<std::ptrdiff_t>(end.size())}, {end.begin(), end.end()}};
}

// The packet with its full length, but only with its first bytes.
[[nodiscard]] bytes near_copy(bytes const& first, std::byte behind) {
  auto copy = first;
  for (std::size_t i = near_bytes; i < copy.size(); ++i) copy[i] = behind;
  return copy;
}

template <class Function>
struct near_header : testing::Test {};

// The compiled functions that say of packets that they stay near.
template <class Found, class... Functions>
struct near_ones {
  using types = Found;
};
template <class... Found, class F, class... Rest>
struct near_ones<testing::Types<Found...>, F, Rest...>
    : near_ones<std::conditional_t<has_stays_near<F>, testing::Types<Found..., F>, testing::Types<Found...>>, Rest...> {
};
template <class... Functions>
[[nodiscard]] near_ones<testing::Types<>, Functions...> near_ones_of(function_list<Functions...>);
using functions = decltype(near_ones_of(compiled_functions{}))::types;
TYPED_TEST_SUITE(near_header, functions);

// A GPU relies on this when a function works on a copy of a packet's first bytes.
TYPED_TEST(near_header, is_all_that_a_function_touches_of_packets_of_which_it_says_so) {
  auto const tables = oracle<TypeParam>::tables_in({}).cpu;
  std::size_t forwarded = 0;
  for (auto const& packet : make_corpus(0)) {
    auto const length = packet.segments[0];
    bytes const first(packet.frame.begin(), packet.frame.begin() + length);
    auto looked_at = first;
    if (!TypeParam::stays_near({looked_at.data(), length, length})) continue;
    auto const wanted = process<TypeParam>(first, first, length, tables);
    for (auto const behind : {std::byte{0x00}, std::byte{0xff}}) {
      auto const copy = near_copy(first, behind);
      auto const got = process<TypeParam>(copy, first, length, tables);
      ASSERT_EQ(got.said, wanted.said) << packet.what;
      ASSERT_EQ(to_hex(got.near), to_hex(wanted.near)) << packet.what;
      ASSERT_TRUE(std::ranges::all_of(got.far, [&](auto byte) { return byte == behind; })) << packet.what;
    }
    if (wanted.said.what() == verdict::action::forward) ++forwarded;
  }
  EXPECT_GT(forwarded, 100u);
}

TYPED_TEST(near_header, is_enough_for_plain_packets) {
  auto const from = [] { return packet_builder{}.eth().ipv4("10.0.0.1", "20.1.2.201"); };
  for (auto const& builder : {from().udp(1000, 2000).payload(18), from().tcp(1, 2).payload(1400)}) {
    auto frame = builder.build();
    auto const length = static_cast<std::uint32_t>(frame.size());
    EXPECT_TRUE(TypeParam::stays_near({frame.data(), length, length}));
  }
}

TYPED_TEST(near_header, is_not_enough_for_ipv4_options) {
  auto frame = packet_builder{}.eth().ipv4().options(to_bytes({1, 1, 1, 0})).udp(1, 2).payload(18).build();
  auto const length = static_cast<std::uint32_t>(frame.size());
  EXPECT_FALSE(TypeParam::stays_near({frame.data(), length, length}));
}

}  // namespace
}  // namespace packetwarp::test
