// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "function/inspection/carried/island.h"
#include "function/inspection/shared_rooms.h"

namespace packetwarp::inspection_parts {

// A segment's payload, with the bytes of its stream that came earlier and lie before and after it.
struct alignas(64) stream_text {
  static constexpr std::uint32_t longest = 1472;     // bytes of a payload
  static constexpr std::uint32_t copied_bytes = 16;  // by a lane of a GPU at a time
  // A lane copies up to 15 bytes before the payload, and as many after it.
  static constexpr std::uint32_t payload_at = island::most_kept;
  static constexpr std::uint32_t most = payload_at + longest + island::most_kept + copied_bytes;

  std::uint32_t is_taken;
  std::uint32_t record;  // of the connection; held_record::none: the segment is judged alone
  stream_join join;
  std::uint16_t payload;  // place of the payload's copy in `bytes`
  std::uint16_t begin;    // place of the text in `bytes`
  std::uint16_t carried;  // bytes at the text's begin that came before the segment
  std::uint16_t fresh;    // then come those that the segment brings
  std::uint16_t ahead;    // then those that came before it, too, and lie after it in the stream
  std::uint8_t is_whole;  // the text begins where the direction does
  std::uint8_t differs;   // the payload repeats bytes, and not as they were
  std::uint8_t is_again;  // it repeats bytes that another group may not have judged yet
  alignas(16) std::byte bytes[most];

  [[nodiscard]] HOST_DEVICE std::uint32_t size() const { return std::uint32_t{carried} + fresh + ahead; }
};
static_assert(sizeof(stream_text) == 2048);

using text_rooms_ref = shared_rooms_ref<stream_text>;
static_assert(std::is_trivially_copyable_v<text_rooms_ref>);

}  // namespace packetwarp::inspection_parts
