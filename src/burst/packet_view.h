// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace packetwarp {

// What a function sees of a packet: its bytes where they lie. Does not own; valid while the burst is being processed.
struct packet_view {
  std::byte* data;           // first byte of the Ethernet header
  std::uint32_t contiguous;  // bytes that may be read and written at `data`; less than `length` in chained mbufs
  std::uint32_t length;      // bytes of the whole frame, without FCS
};
static_assert(std::is_trivially_copyable_v<packet_view> && sizeof(packet_view) == 16);

}  // namespace packetwarp
