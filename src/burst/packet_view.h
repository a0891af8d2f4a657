// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "memory/placement.h"

namespace packetwarp {

// A packet as a function sees it: its bytes where they lie. Does not own; valid while the burst is being processed.
struct packet_view {
  std::byte* data;           // first byte of the Ethernet header
  std::uint32_t contiguous;  // bytes that may be read and written at `data`; less than `length` in chained mbufs
  std::uint32_t length;      // bytes of the whole frame, without FCS
  // The bytes after the contiguous ones, possibly in another memory: for a chained packet, and for every packet in
  // split placement. Only for functions that declare that they reach the payload.
  std::byte* rest{};
  std::uint32_t rest_contiguous{};
  // A copy of the first bytes, in which the headers end, that is nearer than `data`; or null. Only gather() of
  // functions that reach the payload gets one.
  std::byte* headers{};
};
static_assert(std::is_trivially_copyable_v<packet_view> && sizeof(packet_view) == 40);

// Bytes of a packet's payload that may be read and written at `data`.
struct payload_view {
  std::byte* data;
  std::uint32_t contiguous;
};

// The bytes after a packet's first split_header_bytes, whether one piece holds both or they lie apart.
[[nodiscard]] HOST_DEVICE constexpr payload_view payload_of(packet_view const& packet) {
  if (packet.contiguous > split_header_bytes) {
    return {packet.data + split_header_bytes, packet.contiguous - split_header_bytes};
  }
  if (packet.contiguous == split_header_bytes) return {packet.rest, packet.rest_contiguous};
  return {nullptr, 0};
}

}  // namespace packetwarp
