// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/inspection/carried/island.h"
#include "function/inspection/carried/stream_text.h"
#include "function/inspection/inspection_room.h"
#include "function/inspection/packet_note.h"

// The bytes of a segment and of the islands around it, by all lanes of a group.
namespace packetwarp::inspection_parts::detail {

// By all lanes: copies the payload into the text.
HOST_DEVICE inline void copy_into(auto const& group, packet_note const& note, stream_text& text) {
  auto const size = std::uint32_t{note.first_size} + note.second_size;
  auto* const to = text.bytes + stream_text::payload_at;
#if defined(__CUDA_ARCH__)
  if (note.second_size == 0) {
    auto const* const copy = copy_by_pieces(group, note.first, size, to);
    if (group.lane() == 0) text.payload = static_cast<std::uint16_t>(copy - text.bytes);
    return;
  }
#endif
  for (auto i = group.lane(); i < size; i += group.lanes()) {
    to[i] = i < note.first_size ? note.first[i] : note.second[i - note.first_size];
  }
  if (group.lane() == 0) text.payload = stream_text::payload_at;
}

// Whether the byte at this place of the payload is another one than before.
[[nodiscard]] HOST_DEVICE inline bool differs_at(stream_direction const& side, stream_text const& text,
                                                 std::uint32_t number, std::uint32_t at) {
  auto const& join = text.join;
  auto const now = static_cast<int>(text.bytes[text.payload + at]);
  if (at < join.fresh_begin) return side.byte_at(join.before, number + at) != now;
  if (at >= join.fresh_end) return side.byte_at(join.after, number + at) != now;
  for (auto left = std::uint32_t{join.within}; left != 0; left &= left - 1) {
    auto const n = lowest_bit(left);
    bool const has_byte = number + at - side.islands[n].begin < side.islands[n].size();
    if (has_byte && side.byte_at(n, number + at) != now) return true;
  }
  return false;
}

// By all lanes: whether the payload repeats bytes, and not as they were. Bytes that are kept no longer may be others.
[[nodiscard]] HOST_DEVICE inline bool differs(auto const& group, stream_direction const& side, stream_text const& text,
                                              std::uint32_t number, std::uint32_t size) {
  if (!text.join.repeats_some(size)) return false;
  std::uint32_t others = 0;
  NOT_UNROLLED
  for (auto at = group.lane(); at < size; at += group.lanes()) {
    if (differs_at(side, text, number, at)) ++others;
  }
  return group.sum(others) != 0;
}

// The bytes of the island before the segment's new bytes that are kept, and the begin of those after them.
[[nodiscard]] HOST_DEVICE inline std::uint32_t kept_before(stream_direction const& side, stream_join const& join,
                                                           std::uint32_t number) {
  if (!join.has_before()) return 0;
  auto const& one = side.islands[join.before];
  auto const skipped = one.end - (number + join.fresh_begin);
  return one.kept() > skipped ? one.kept() - skipped : 0;
}
[[nodiscard]] HOST_DEVICE inline std::uint32_t kept_after(stream_direction const& side, stream_join const& join) {
  return join.has_after() ? side.islands[join.after].kept() : 0;
}

// By all lanes: copies kept bytes to both sides of the segment's new bytes.
HOST_DEVICE inline void copy_neighbours(auto const& group, stream_direction const& side, stream_text& text,
                                        std::uint32_t number) {
  auto const& join = text.join;
  auto const before = kept_before(side, join, number);
  auto* const to = text.bytes + text.payload + join.fresh_begin - before;
  UNROLLED_BY_4
  for (auto i = group.lane(); i < before; i += group.lanes()) to[i] = side.bytes[join.before].tail[i];
  auto const after = kept_after(side, join);
  auto* const end = text.bytes + text.payload + join.fresh_end;
  UNROLLED_BY_4
  for (auto i = group.lane(); i < after; i += group.lanes()) end[i] = side.bytes[join.after].head[i];
}

// By all lanes: the bytes that the joined island keeps, all of which lie in the text, or in the island after it.
HOST_DEVICE inline void keep_ends(auto const& group, stream_direction& side, stream_text const& text,
                                  std::uint32_t number) {
  auto const& join = text.join;
  if (join.fresh() == 0) return;
  auto& to = side.bytes[join.into];
  auto const before = kept_before(side, join, number);
  auto const total = before + join.fresh() + kept_after(side, join);
  auto const* const bytes = text.bytes + text.payload + join.fresh_begin - before;
  auto const kept = total < island::most_kept ? total : island::most_kept;
  bool const has_head = join.has_before() && before == island::most_kept;
  bool const has_tail = join.has_after() && kept_after(side, join) == island::most_kept;
  UNROLLED_BY_4
  for (auto i = group.lane(); i < kept; i += group.lanes()) {
    if (!has_head) to.head[i] = bytes[i];
    if (!has_tail) to.tail[i] = bytes[total - kept + i];
    if (has_tail && join.into != join.after) to.tail[i] = side.bytes[join.after].tail[i];
  }
}

}  // namespace packetwarp::inspection_parts::detail
