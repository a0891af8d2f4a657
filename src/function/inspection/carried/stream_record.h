// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <thread>
#include <type_traits>

#include "base/host_device.h"
#include "function/inspection/carried/island.h"
#include "function/inspection/flow_word.h"
#include "function/inspection/shared_word.h"

namespace packetwarp {

// The numbers of a segment of TCP.
struct tcp_numbers {
  std::uint32_t sequence;
  std::uint32_t acknowledgment;
};

}  // namespace packetwarp

namespace packetwarp::inspection_parts {

// The facts of a flow that its stream begins with: by the place of the flow's record. Its words are read and written
// side by side.
struct stream_start {
  static constexpr std::uint32_t has_numbers = 1;  // in `known`
  static constexpr std::uint32_t has_record = 4;

  std::uint32_t first[2];    // number of each direction's first byte
  std::uint32_t known;       // has_numbers: both are known; has_record: the stream has, or had, a record
  std::uint32_t generation;  // of the flows that this place was given to
};

// A connection of which bytes are kept.
struct alignas(64) stream_record {
  std::uint32_t pending;  // segments of this place's connections that are in their stream, and not judged yet
  std::uint32_t flow_place;
  std::uint32_t generation;  // stream_start::generation
  std::uint32_t is_renewed;  // the connection's record was given up before
  std::uint64_t flow;        // key
  stream_direction directions[2];
};

// The place of a record, in one word: 0 is a free place.
//
//   63..32 tag, never 0   31 held   19..0 used
struct stream_word {
  std::uint32_t tag;
  std::uint32_t held;  // 1: a lane has the record in hand
  std::uint32_t used;  // time of its latest segment, as flow_word::used

  [[nodiscard]] HOST_DEVICE static constexpr stream_word of(std::uint64_t word) {
    return {.tag = static_cast<std::uint32_t>(word >> 32),
            .held = static_cast<std::uint32_t>(word >> 31 & 1),
            .used = static_cast<std::uint32_t>(word) & time_mask};
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint64_t word() const {
    return std::uint64_t{tag} << 32 | std::uint64_t{held} << 31 | used;
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t idle(std::uint32_t now) const { return idle_time(used, now); }
};

// A record in hand, or none.
struct held_record {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint32_t place;
  bool has_given_up;  // another connection's record was given up for it
};

// A view of the records. Valid as long as the memory.
struct stream_table_ref {
  std::uint64_t* words;  // [lines][line_words], zeroes at first
  stream_record* records;
  stream_start* starts;     // by place of the flow
  std::uint32_t line_mask;  // lines - 1
  std::uint32_t count;      // of records; 0: each segment is judged alone
};
static_assert(std::is_trivially_copyable_v<stream_table_ref>);

// How often a group may try again, for all of its segments together, to take records that others have in hand. A warp
// then waits for some 300 us: if many have segments of one flow, some of these are judged alone, because a flow must
// not hold up the others. The system may take a CPU's thread away while it holds a record.
#if defined(__CUDA_ARCH__)
inline constexpr std::uint32_t tries_of_group = 256;
#else
inline constexpr std::uint32_t tries_of_group = 1U << 14;
#endif

namespace detail {

// The holder goes on and waits for nothing, so it soon lets the record go.
HOST_DEVICE inline void let_holder_go_on() {
#if defined(__CUDA_ARCH__)
  __nanosleep(100);
#else
  std::this_thread::yield();
#endif
}

// The record's place in its line, or the one that it may take: a free one, or that of the connection that has been idle
// for the longest; line_words: none. seen: the word there.
[[nodiscard]] HOST_DEVICE inline std::uint32_t record_place_in(std::uint64_t* line, std::uint32_t tag,
                                                               std::uint32_t now, std::uint64_t& seen) {
  auto best = line_words;
  std::uint32_t most = kept_time - 1;
  for (std::uint32_t n = 0; n < line_words; ++n) {
    auto const word = load(line[n]);
    auto const there = stream_word::of(word);
    if (word == 0 || there.tag == tag) {
      seen = word;
      return n;
    }
    if (there.held != 0 || there.idle(now) <= most) continue;
    most = there.idle(now);
    best = n;
    seen = word;
  }
  return best;
}

}  // namespace detail

// By a lane: takes the record of a flow in hand, or one that becomes the flow's. release_record() has to follow soon:
// others wait. now: of the clock. tries: as many as the group has left; each segment has one beside.
[[nodiscard]] HOST_DEVICE inline held_record hold_record(stream_table_ref const& table, std::uint64_t key,
                                                         std::uint64_t now, std::uint32_t& tries) {
  auto const tag = detail::tag_of(key);
  auto const time = static_cast<std::uint32_t>(now) & time_mask;
  auto const first = (static_cast<std::uint32_t>(key) & table.line_mask) * line_words;
  stream_word const wanted{.tag = tag, .held = 1, .used = time};
  NOT_UNROLLED
  for (;; --tries) {
    std::uint64_t before = 0;
    auto const n = detail::record_place_in(table.words + first, tag, time, before);
    if (n == line_words) return {held_record::none, false};
    auto const there = stream_word::of(before);
    bool const is_free = before == 0 || there.held == 0;
    if (is_free && replace(table.words[first + n], before, wanted.word()))
      return {first + n, before != 0 && there.tag != tag};
    if (tries == 0) return {held_record::none, false};
    detail::let_holder_go_on();
  }
}

// By the same lane, once all lanes' writes to the record are done.
HOST_DEVICE inline void release_record(stream_table_ref const& table, std::uint32_t place) {
  auto word = stream_word::of(load(table.words[place]));
  word.held = 0;
  shared_word<std::uint64_t>{table.words[place]}.store(word.word(), cuda::memory_order_release);
}

// By the lane that has the record in hand: the record is the flow's from now on, if it was another's. Returns whether
// the flow had one before that was given up.
[[nodiscard]] HOST_DEVICE inline bool use_record(stream_record& one, std::uint64_t flow, std::uint32_t flow_place,
                                                 stream_start& start) {
  auto const generation = load(start.generation);
  if (one.flow == flow && one.flow_place == flow_place && one.generation == generation) return false;
  auto const known = load(start.known);
  one.flow = flow;
  one.flow_place = flow_place;
  one.generation = generation;
  one.is_renewed = (known & stream_start::has_record) != 0 ? 1 : 0;
  for (auto& direction : one.directions) direction.has_begun = 0;
  shared_word<std::uint32_t>{start.known}.fetch_or(stream_start::has_record, cuda::memory_order_relaxed);
  return one.is_renewed != 0;
}

// A packet of TCP begins a flow.
HOST_DEVICE inline void begin_start(stream_start& start) {
  store(start.known, std::uint32_t{0});
  add(start.generation, std::uint32_t{1});
}
// The answer to a SYN, in this direction: it says where both directions begin.
HOST_DEVICE inline void note_numbers(stream_start& start, std::uint32_t direction, tcp_numbers answer) {
  store(start.first[direction], answer.sequence + 1);
  store(start.first[1 - direction], answer.acknowledgment);
  shared_word<std::uint32_t>{start.known}.fetch_or(stream_start::has_numbers, cuda::memory_order_release);
}
// Whether such an answer says what is known.
[[nodiscard]] HOST_DEVICE inline bool knows_numbers(stream_start& start, std::uint32_t direction, tcp_numbers answer) {
  return (load(start.known) & stream_start::has_numbers) != 0 && load(start.first[direction]) == answer.sequence + 1 &&
         load(start.first[1 - direction]) == answer.acknowledgment;
}

}  // namespace packetwarp::inspection_parts
