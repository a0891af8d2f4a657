// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "burst/packet_view.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"

// Packets of alerts, where several lanes judge a group: an alert is held back until the group has been judged; then all
// lanes copy its packet, and the alert is published.
namespace packetwarp::inspection_parts {

// By the packet's lane, before the group begins.
HOST_DEVICE inline void note_gathered(packet_view const& view, unsigned n, inspection_ref const& tables,
                                      inspection_room& room) {
  if (tables.packets.slots == nullptr) return;
  room.gathered[n] = {view.data, view.rest, view.contiguous, view.rest_contiguous};
}

// By all lanes, before the room is cleared: where the packets are.
HOST_DEVICE inline void keep_gathered(auto const& group, inspection_ref const& tables, inspection_room const& room) {
  if (tables.packets.slots == nullptr || room.joined_in == joined_rooms_ref::none) return;
  auto& to = tables.joined.rooms[room.joined_in];
  for (auto n = group.lane(); n < group.packets(); n += group.lanes()) to.packets[n] = room.gathered[n];
  if (group.lane() == 0) to.held_count = 0;
  group.sync();
}

namespace detail {

// By one lane: whether the alert will be published with its packet.
[[nodiscard]] HOST_DEVICE inline bool holds_alert(inspection_ref const& tables, inspection_room const& room,
                                                  std::uint32_t packet, std::uint64_t ticket) {
  if (tables.packets.slots == nullptr) return false;
  bool const has_room = room.joined_in != joined_rooms_ref::none &&
                        tables.joined.rooms[room.joined_in].held_count < joined_room::most_held;
  if (!has_room) {
    add(tables.counts->packets_not_kept, std::uint64_t{1});
    return false;
  }
  auto& in = tables.joined.rooms[room.joined_in];
  in.held[in.held_count++] = {ticket, packet};
  return true;
}

[[nodiscard]] HOST_DEVICE inline std::byte byte_of(gathered_packet const& packet, std::uint32_t n) {
  return n < packet.contiguous ? packet.data[n] : packet.rest[n - packet.contiguous];
}

// By all lanes, eight bytes each at a time: each write may go over PCIe. first: number of a slot.
HOST_DEVICE void copy_to_slots(auto const& group, gathered_packet const& packet, packet_slots_ref const& to,
                               std::uint32_t first) {
  constexpr std::uint32_t at_once = sizeof(std::uint64_t);
  constexpr auto per_slot = packet_slot::most / at_once;
  auto const size = packet.contiguous + packet.rest_contiguous;
  NOT_UNROLLED
  for (auto i = group.lane(); i * at_once < size; i += group.lanes()) {
    std::uint64_t bytes = 0;
    for (std::uint32_t n = 0; n < at_once && i * at_once + n < size; ++n) {
      bytes |= static_cast<std::uint64_t>(byte_of(packet, i * at_once + n)) << (8 * n);
    }
    auto& slot = to.slots[(first + i / per_slot) & to.mask];
    reinterpret_cast<std::uint64_t*>(slot.bytes)[i % per_slot] = bytes;
  }
  if (group.lane() == 0) to.slots[first].size = size;
}

}  // namespace detail

// By all lanes, once the group has been judged: publishes the alerts that were held back, with their packets.
HOST_DEVICE void publish_held(auto const& group, inspection_ref const& tables, inspection_room const& room) {
  if (tables.packets.slots == nullptr || room.joined_in == joined_rooms_ref::none) return;
  group.sync();
  auto const& in = tables.joined.rooms[room.joined_in];
  NOT_UNROLLED
  for (std::uint32_t i = 0; i < in.held_count; ++i) {
    auto const& held = in.held[i];
    auto const& packet = in.packets[held.packet];
    auto const size = packet.contiguous + packet.rest_contiguous;
    auto const first = group.sum(group.lane() == 0 ? tables.packets.claim(size) : 0);
    if (first != 0) detail::copy_to_slots(group, packet, tables.packets, first - 1);
    group.sync();
    if (group.lane() != 0) continue;
    if (first == 0) add(tables.counts->packets_not_kept, std::uint64_t{1});
    tables.journal.claimed(held.ticket).packet = first & 0xff'ffff;
    tables.journal.publish(held.ticket);
  }
}

}  // namespace packetwarp::inspection_parts
