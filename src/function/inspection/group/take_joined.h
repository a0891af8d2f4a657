// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "function/inspection/joined_room.h"

// The joined_room of a group. A group that keeps packets of alerts has it from its begin (keep_packets.h); another one
// takes it for its first packet that rules are tried on, which many groups do not have.
namespace packetwarp::inspection_parts {

namespace detail {

// A number that few other groups have at the time: that of the warp's place on the GPU, or of the room.
[[nodiscard]] HOST_DEVICE inline std::uint32_t number_of_place([[maybe_unused]] inspection_room const& room) {
#if defined(__CUDA_ARCH__)
  std::uint32_t multiprocessor = 0;
  asm("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  constexpr std::uint32_t warps = 16;
  return multiprocessor * warps + threadIdx.x / 32;
#else
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&room) / sizeof room);
#endif
}

[[nodiscard]] HOST_DEVICE inline bool needs_joined_early(auto const& group, inspection_ref const& tables) {
  return group.lanes() != 1 && tables.packets.slots != nullptr;
}

}  // namespace detail

// By all lanes, when the group begins: takes a room if alerts may be kept with their packets, and otherwise notes that
// the group has none yet.
HOST_DEVICE inline void take_joined_early(auto const& group, inspection_ref const& tables, inspection_room& room) {
  if (group.lane() == 0) {
    bool const takes_one = detail::needs_joined_early(group, tables) && tables.joined.count != 0;
    room.joined_in = takes_one ? tables.joined.take(detail::number_of_place(room)) : joined_rooms_ref::none;
  }
  group.sync();
}

// By all lanes. False: the group has none, and each of its packets is judged alone.
[[nodiscard]] HOST_DEVICE inline bool take_joined_late(auto const& group, inspection_ref const& tables,
                                                       inspection_room& room) {
  if (room.joined_in != joined_rooms_ref::none) return true;
  if (detail::needs_joined_early(group, tables) || tables.joined.count == 0) return false;
  group.sync();
  if (group.lane() == 0) room.joined_in = tables.joined.take(detail::number_of_place(room));
  group.sync();
  return room.joined_in != joined_rooms_ref::none;
}

// By all lanes.
HOST_DEVICE inline void give_back_joined(auto const& group, inspection_ref const& tables, inspection_room const& room) {
  group.sync();
  if (group.lane() == 0 && room.joined_in != joined_rooms_ref::none) tables.joined.give_back(room.joined_in);
}

}  // namespace packetwarp::inspection_parts
