// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "function/inspection/shared_word.h"

namespace packetwarp::inspection_parts {

// Memory that a group takes for a packet, and gives back after its packets are judged. It never waits: a packet without
// a room is judged without what lies there, and is counted. Room: has a word `is_taken`. Valid as long as the memory.
template <class Room>
struct shared_rooms_ref {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  Room* rooms;
  std::uint32_t count;  // a power of two; 0: no packet needs one

  // By a lane. hint: any number; different ones find rooms sooner. Returns the room's number, or none.
  [[nodiscard]] HOST_DEVICE std::uint32_t take(std::uint32_t hint) const {
    constexpr std::uint32_t most_tries = 16;
    for (std::uint32_t i = 0; i < most_tries && i < count; ++i) {
      // Rooms that are tried one after the other lie apart: a lane's neighbours begin beside it.
      auto const n = (hint + i * 61) & (count - 1);
      if (load(rooms[n].is_taken) == 0 && replace(rooms[n].is_taken, std::uint32_t{0}, std::uint32_t{1})) return n;
    }
    return none;
  }
  HOST_DEVICE void give_back(std::uint32_t n) const {
    shared_word<std::uint32_t>{rooms[n].is_taken}.store(0, cuda::memory_order_release);
  }
};

}  // namespace packetwarp::inspection_parts
