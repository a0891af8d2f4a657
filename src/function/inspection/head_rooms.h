// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "function/inspection/shared_rooms.h"
#include "inspect/http/head.h"
#include "inspect/http/message.h"
#include "inspect/http/plain_head.h"

// The memory in which executors that judge each packet alone read heads of HTTP: a room for each packet of a group that
// begins a message. A packet without a room is judged without its head, and is counted.
namespace packetwarp::inspection_parts {

struct alignas(64) head_room {
  static constexpr std::uint32_t longest = 1472;     // bytes of a payload
  static constexpr std::uint32_t copied_bytes = 16;  // by a lane of a GPU at a time
  static constexpr std::uint32_t form_bytes = inspect::room_for_head(longest);

  std::uint32_t is_taken;
  std::uint32_t has_message;  // 0: the payload begins none after all
  inspect::http_message message;
  inspect::plain_lines lines;  // while the head is read
  alignas(16) std::byte text[longest + copied_bytes];
  std::byte forms[form_bytes];
};

using head_rooms_ref = shared_rooms_ref<head_room>;
static_assert(std::is_trivially_copyable_v<head_rooms_ref>);

}  // namespace packetwarp::inspection_parts
