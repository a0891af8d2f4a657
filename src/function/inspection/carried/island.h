// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"

// The bytes of a direction of a TCP connection that executors without whole streams keep. Groups of packets are judged
// side by side, so segments of a connection come in any order, and none waits for another: bytes that have come without
// a gap are an island, and a segment that lies between two islands joins them.
namespace packetwarp::inspection_parts {

// From one number of TCP to another (RFC 9293, 3.4).
[[nodiscard]] HOST_DEVICE constexpr std::int32_t number_distance(std::uint32_t from, std::uint32_t to) {
  return static_cast<std::int32_t>(to - from);
}

// The numbers of an island's bytes.
struct alignas(16) island {
  // A content of this length is found, also if its bytes come one by one.
  static constexpr std::uint32_t most_kept = 256;

  std::uint32_t begin;  // of the first byte
  std::uint32_t end;    // of the byte after the last one
  std::uint32_t is_there;
  std::uint32_t is_first;  // it begins with the direction's first byte

  [[nodiscard]] HOST_DEVICE std::uint32_t size() const { return end - begin; }
  // Bytes of the head, and of the tail.
  [[nodiscard]] HOST_DEVICE std::uint32_t kept() const { return size() < most_kept ? size() : most_kept; }
};

struct island_bytes {
  std::byte head[island::most_kept];  // the first bytes
  std::byte tail[island::most_kept];  // the last bytes, from the begin of the array
};

struct stream_direction {
  static constexpr std::uint32_t most_islands = 8;
  static constexpr std::uint8_t no_island = 0xff;
  static constexpr std::int32_t farthest_distance = 1 << 20;  // a segment beyond is not taken for one of the stream

  std::uint32_t first;     // number of the first byte; with is_near_first
  std::uint32_t farthest;  // the end that has lain farthest ahead
  std::uint32_t has_begun;
  std::uint32_t is_near_first;   // numbers have not come around to the first one again
  island islands[most_islands];  // side by side: a GPU reads all of them in few steps
  island_bytes bytes[most_islands];

  // first: the number of the first byte. from: a number near which segments are taken for ones of the stream.
  HOST_DEVICE void begin(std::uint32_t first_number, std::uint32_t from) {
    first = first_number;
    farthest = from;
    has_begun = 1;
    is_near_first = first_number == from ? 1 : 0;
    for (auto& one : islands) one.is_there = 0;
  }
  // The byte of the n-th island at a number that it has; -1: it is not kept.
  [[nodiscard]] HOST_DEVICE int byte_at(std::uint32_t n, std::uint32_t number) const {
    auto const& one = islands[n];
    auto const from_end = one.end - number;
    if (from_end <= one.kept()) return static_cast<int>(bytes[n].tail[one.kept() - from_end]);
    auto const from_begin = number - one.begin;
    return from_begin < one.kept() ? static_cast<int>(bytes[n].head[from_begin]) : -1;
  }
};

// The places of a segment's bytes among the islands of its direction.
struct stream_join {
  std::uint8_t before;        // the island that the segment's first bytes go on with, or repeat
  std::uint8_t after;         // the island that the segment's last bytes go on to, or repeat
  std::uint8_t into;          // the island that has the bytes from now on
  std::uint8_t within;        // bits: islands all of whose bytes the segment repeats
  std::uint16_t fresh_begin;  // in the payload: the bytes that no island of `before` and `after` has
  std::uint16_t fresh_end;

  [[nodiscard]] HOST_DEVICE bool has_before() const { return before != stream_direction::no_island; }
  [[nodiscard]] HOST_DEVICE bool has_after() const { return after != stream_direction::no_island; }
  [[nodiscard]] HOST_DEVICE std::uint32_t fresh() const { return static_cast<std::uint32_t>(fresh_end) - fresh_begin; }
  // size: of the payload.
  [[nodiscard]] HOST_DEVICE bool repeats_some(std::uint32_t size) const {
    return fresh_begin != 0 || fresh_end != size || within != 0;
  }
};

enum class segment_place : std::uint8_t { in_stream, too_far_ahead, kept_no_longer };

// Whether the segment goes on with the island, repeats some of it, or lies near its end.
[[nodiscard]] HOST_DEVICE inline bool is_near(island const& one, std::uint32_t number) {
  auto const ahead = number_distance(one.end, number);
  bool const is_within = ahead <= 0 && number_distance(one.begin, number) >= 0;
  constexpr auto most = stream_direction::farthest_distance;
  return is_within || (ahead <= most && ahead >= -most);
}

// Near any island, so that forged segments ahead of the stream do not keep the next one out.
[[nodiscard]] HOST_DEVICE inline segment_place place_of_segment(stream_direction const& of, std::uint32_t number) {
  auto const ahead = number_distance(of.farthest, number);
  if (of.is_near_first != 0 && number_distance(of.first, number) < 0) return segment_place::kept_no_longer;
  bool is_in_stream = ahead <= stream_direction::farthest_distance && ahead >= -stream_direction::farthest_distance;
  // No island is asked for only after another one: a GPU waits for all of them once.
  UNROLLED
  for (auto const& one : of.islands) is_in_stream |= (one.is_there != 0) & is_near(one, number);
  if (is_in_stream) return segment_place::in_stream;
  return ahead > 0 ? segment_place::too_far_ahead : segment_place::kept_no_longer;
}

namespace detail {

[[nodiscard]] HOST_DEVICE inline stream_join neighbours_of(stream_direction const& of, std::uint32_t number,
                                                           std::uint32_t payload) {
  constexpr auto none = stream_direction::no_island;
  stream_join made{none, none, none, 0, 0, static_cast<std::uint16_t>(payload)};
  auto const size = static_cast<std::int32_t>(payload);
  NOT_UNROLLED
  for (std::uint8_t n = 0; n < stream_direction::most_islands; ++n) {
    auto const& one = of.islands[n];
    if (one.is_there == 0) continue;
    auto const begin = number_distance(number, one.begin);
    auto const end = number_distance(number, one.end);
    if (begin <= 0 && end >= 0) {
      made.before = n;
      made.fresh_begin = static_cast<std::uint16_t>(end < size ? end : size);
    } else if (begin > 0 && begin <= size && end >= size) {
      made.after = n;
      made.fresh_end = static_cast<std::uint16_t>(begin);
    } else if (begin > 0 && end < size) {
      made.within = static_cast<std::uint8_t>(made.within | 1U << n);
    }
  }
  return made;
}

// A free island, or the shortest one, which goes: but not the one that begins the stream. Forged segments ahead of a
// stream make short ones.
[[nodiscard]] HOST_DEVICE inline std::uint8_t place_for_island(stream_direction const& of, bool& has_given_up) {
  std::uint8_t best = 0;
  auto shortest = ~std::uint32_t{0};
  NOT_UNROLLED
  for (std::uint8_t n = 0; n < stream_direction::most_islands; ++n) {
    auto const& one = of.islands[n];
    if (one.is_there == 0) return n;
    if (one.is_first != 0 || one.size() >= shortest) continue;
    shortest = one.size();
    best = n;
  }
  has_given_up = true;
  return best;
}

}  // namespace detail

// The place of a segment in the stream; the direction stays as it is, except that an island may be given up.
[[nodiscard]] HOST_DEVICE inline stream_join find_join(stream_direction& of, std::uint32_t number, std::uint32_t size,
                                                       bool& has_given_up) {
  auto made = detail::neighbours_of(of, number, size);
  for (std::uint8_t n = 0; n < stream_direction::most_islands; ++n) {
    if ((made.within >> n & 1) != 0) of.islands[n].is_there = 0;
  }
  made.into = made.has_before()  ? made.before
              : made.has_after() ? made.after
                                 : detail::place_for_island(of, has_given_up);
  return made;
}

// The islands are joined from now on. Their bytes are in place.
HOST_DEVICE inline void finish_join(stream_direction& of, stream_join const& join, std::uint32_t number) {
  // Longer islands begin later than they do, so that distances have room: no segment reaches their heads any more.
  constexpr std::uint32_t longest = std::uint32_t{1} << 30;
  if (join.fresh() == 0) return;
  auto& to = of.islands[join.into];
  auto const begin = join.has_before() ? of.islands[join.before].begin : number + join.fresh_begin;
  auto const end = join.has_after() ? of.islands[join.after].end : number + join.fresh_end;
  auto const is_first =
      join.has_before() ? of.islands[join.before].is_first : (of.is_near_first != 0 && number == of.first ? 1U : 0U);
  if (join.has_after()) of.islands[join.after].is_there = 0;
  to.begin = end - begin > longest ? end - longest / 2 : begin;
  to.end = end;
  to.is_first = is_first;
  to.is_there = 1;
  if (number_distance(of.farthest, end) > 0) of.farthest = end;
  if (number_distance(of.first, of.farthest) >= static_cast<std::int32_t>(longest)) of.is_near_first = 0;
}

}  // namespace packetwarp::inspection_parts
