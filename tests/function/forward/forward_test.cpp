// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/forward/forward.h"

#include <gtest/gtest.h>

#include "fixtures/packet_builder.h"
#include "function/forward/mac_swap_oracle.h"

namespace packetwarp {
namespace {

constexpr std::size_t longest = 2048;
constexpr forward::ref tables{egress_index{5}};

verdict process(std::byte* frame, std::size_t length) {
  auto const size = static_cast<std::uint32_t>(length);
  return forward::process({.data = frame, .contiguous = size, .length = size}, tables);
}

verdict wanted(std::size_t length) {
  return length < test::shortest_frame ? verdict::drop(function_drop(forward::runt)) : verdict::forward(tables.egress);
}

TEST(forward, swaps_the_addresses_and_leaves_the_rest) {
  auto const before = test::packet_builder{}.eth("02:00:00:00:00:01", "02:00:00:00:00:02").ipv4().udp(1, 2).payload(18);
  auto const after = test::packet_builder{}.eth("02:00:00:00:00:02", "02:00:00:00:00:01").ipv4().udp(1, 2).payload(18);
  auto frame = before.build();
  EXPECT_EQ(process(frame.data(), frame.size()), verdict::forward(egress_index{5}));
  EXPECT_EQ(test::to_hex(frame), test::to_hex(after.build()));
}

// The frame lies among guard bytes, at every alignment a packet's header can have within 16 bytes.
TEST(forward, swaps_frames_of_any_length_at_any_address_and_touches_nothing_around_them) {
  constexpr std::size_t guard = 64;
  for (std::size_t length = 0; length <= longest; ++length) {
    for (std::size_t shift = 0; shift < 16; ++shift) {
      auto memory = test::numbered_bytes(guard + shift + length + guard, length + shift);
      auto expected = memory;
      test::swap_macs(expected.data() + guard + shift, length);
      ASSERT_EQ(process(memory.data() + guard + shift, length), wanted(length)) << length;
      ASSERT_EQ(memory, expected) << length << " bytes, shifted by " << shift;
    }
  }
}

// Every frame lies in an allocation of exactly its size, where AddressSanitizer (preset asan) sees a read past its end.
TEST(forward, reads_no_byte_outside_of_the_frame) {
  for (std::size_t length = 0; length <= longest; ++length) {
    auto frame = test::numbered_bytes(length, length);
    auto expected = frame;
    test::swap_macs(expected.data(), length);
    ASSERT_EQ(process(frame.data(), length), wanted(length)) << length;
    ASSERT_EQ(frame, expected) << length;
  }
}

TEST(forward, works_within_the_first_mbuf_of_a_chained_packet) {
  for (std::uint32_t contiguous = 0; contiguous <= 64; ++contiguous) {
    auto first = test::numbered_bytes(contiguous, contiguous);
    auto expected = first;
    test::swap_macs(expected.data(), contiguous);
    auto const given = forward::process({.data = first.data(), .contiguous = contiguous, .length = 9000}, tables);
    ASSERT_EQ(given, wanted(contiguous)) << contiguous;
    ASSERT_EQ(first, expected) << contiguous;
  }
}

TEST(forward, undoes_itself) {
  auto const before = test::numbered_bytes(60, 1);
  auto frame = before;
  EXPECT_EQ(process(frame.data(), frame.size()), wanted(60));
  EXPECT_NE(frame, before);
  EXPECT_EQ(process(frame.data(), frame.size()), wanted(60));
  EXPECT_EQ(frame, before);
}

TEST(forward, calls_what_it_drops_runts) { EXPECT_EQ(drop_name<forward>(process(nullptr, 0).why()), "runt"); }

}  // namespace
}  // namespace packetwarp
