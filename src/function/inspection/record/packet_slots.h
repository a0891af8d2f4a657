// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "function/record/record_ring.h"

// The packets of a GPU's alerts go to the master in slots of a ring in the host's memory, one ring per pipeline. A
// packet takes the slots that it needs, one after the other; its alert names the first one, and is published last.
namespace packetwarp::inspection_parts {

// A part of a packet.
struct packet_slot {
  static constexpr std::uint32_t most = 504;

  std::uint64_t size;  // in a packet's first slot: its bytes, in this slot and the next ones
  std::byte bytes[most];
};
static_assert(sizeof(packet_slot) == 512 && std::is_trivially_copyable_v<packet_slot>);

// A view of alert_packets for the packets of one pipeline. Valid as long as those.
struct packet_slots_ref {
  packet_slot* slots;  // null: packets are not kept
  ring_cursors* cursors;
  std::uint32_t mask;  // slots - 1

  // By a lane: the number of the first slot for a packet of this size, plus one; 0: there is no room.
  [[nodiscard]] HOST_DEVICE std::uint32_t claim(std::uint64_t size) const {
    auto const count = (size + packet_slot::most - 1) / packet_slot::most;
    auto const ticket = claim_places(*cursors, std::uint64_t{mask} + 1, count);
    return ticket == 0 ? 0 : static_cast<std::uint32_t>((ticket - 1) & mask) + 1;
  }
};
static_assert(std::is_trivially_copyable_v<packet_slots_ref>);

}  // namespace packetwarp::inspection_parts
