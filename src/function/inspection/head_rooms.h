// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "function/inspection/shared_word.h"
#include "inspect/http/head.h"
#include "inspect/http/message.h"

// The memory in which executors that judge each packet alone read heads of HTTP. A group takes a room for each packet
// that begins a message, and gives it back after its packets are judged. It never waits: a packet without a room is
// judged without its head, and is counted.
namespace packetwarp::inspection_parts {

struct alignas(64) head_room {
  static constexpr std::uint32_t longest = 1472;     // bytes of a payload
  static constexpr std::uint32_t copied_bytes = 16;  // by a lane of a GPU at a time
  static constexpr std::uint32_t form_bytes = inspect::room_for_head(longest);

  std::uint32_t is_taken;
  std::uint32_t has_message;  // 0: the payload begins none after all
  inspect::http_message message;
  alignas(16) std::byte text[longest + copied_bytes];
  std::byte forms[form_bytes];
};

// Valid as long as the memory.
struct head_rooms_ref {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  head_room* rooms;
  std::uint32_t count;  // a power of two; 0: no rule looks at heads, or another one reads them

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
static_assert(std::is_trivially_copyable_v<head_rooms_ref>);

}  // namespace packetwarp::inspection_parts
