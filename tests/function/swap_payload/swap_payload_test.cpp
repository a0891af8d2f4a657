// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/swap_payload/swap_payload.h"

#include <gtest/gtest.h>

#include "function/swap_payload/swap_payload_oracle.h"

namespace packetwarp {
namespace {

constexpr swap_payload::ref swap_tables{egress_index{3}};

verdict verdict_of(std::size_t length) {
  return length < test::shortest_frame ? verdict::drop(function_drop(forward::runt))
                                       : verdict::forward(swap_tables.egress);
}

TEST(swap_payload, swaps_frames_of_any_length_and_touches_nothing_else) {
  constexpr std::size_t guard = 32;
  for (std::size_t length = 0; length <= 300; ++length) {
    for (std::size_t shift = 0; shift < 16; ++shift) {
      auto memory = test::numbered_bytes(guard + shift + length + guard, length + shift);
      auto expected = memory;
      test::swap_macs_and_payload(expected.data() + guard + shift, length);
      auto const size = static_cast<std::uint32_t>(length);
      ASSERT_EQ(swap_payload::process({memory.data() + guard + shift, size, size}, swap_tables), verdict_of(length));
      ASSERT_EQ(memory, expected) << length << " bytes, shifted by " << shift;
    }
  }
}

// Split as by a NIC: 60 bytes in the first piece, the rest in the second.
TEST(swap_payload, does_to_split_packets_what_it_does_to_whole_ones) {
  for (std::size_t length = 60; length <= 300; ++length) {
    auto whole = test::numbered_bytes(length, length);
    std::vector<std::byte> header(whole.begin(), whole.begin() + 60);
    std::vector<std::byte> payload(whole.begin() + 60, whole.end());
    test::swap_macs_and_payload(whole.data(), length);
    packet_view view{header.data(), 60, static_cast<std::uint32_t>(length)};
    view.rest = payload.data();
    view.rest_contiguous = static_cast<std::uint32_t>(payload.size());
    ASSERT_EQ(swap_payload::process(view, swap_tables), verdict_of(length));
    header.insert(header.end(), payload.begin(), payload.end());
    ASSERT_EQ(header, whole) << length;
  }
}

TEST(swap_payload, leaves_a_payload_that_it_cannot_tell_the_place_of) {
  for (std::uint32_t const first : {14u, 59u}) {
    auto header = test::numbered_bytes(first, 1);
    auto rest = test::numbered_bytes(100, 2);
    auto const before = rest;
    packet_view view{header.data(), first, first + 100};
    view.rest = rest.data();
    view.rest_contiguous = 100;
    EXPECT_EQ(swap_payload::process(view, swap_tables), verdict::forward(swap_tables.egress));
    EXPECT_EQ(rest, before) << "its 60th byte is in the other piece";
  }
}

TEST(swap_payload, says_that_it_reaches_the_payload_and_forward_does_not) {
  EXPECT_TRUE(reaches_payload<swap_payload>);
  EXPECT_FALSE(reaches_payload<forward>);
}

}  // namespace
}  // namespace packetwarp
