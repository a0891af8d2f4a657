// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "feature/packet_facts.h"
#include "feature/packet_keys.h"
#include "function/inspection/shared_word.h"
#include "inspect/packet/tcp_connection.h"

namespace packetwarp::inspection_parts {

using inspect::syn_state;
using inspect::tcp_stage;

// Times are in units of the clock (inspection_root), their low 20 bits.
inline constexpr std::uint32_t time_mask = (1U << 20) - 1;
// The step of a GPU's clock, in units: each is a copy, so it is a large one.
inline constexpr std::uint32_t gpu_step = 4;

// The time from `used` to `now`. A thread may have read the clock before another one that has used a record since: such
// a record has not been idle. Longer than a thread may stand still, and short beside the whole range.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t idle_time(std::uint32_t used, std::uint32_t now) {
  constexpr std::uint32_t most_ahead = 1024;
  auto const since = (now - used) & time_mask;
  return since > time_mask - most_ahead ? 0 : since;
}

// Whether a segment that answers a SYN says the numbers with which the connection has begun.
enum class answered_numbers : std::uint8_t { not_looked_up, others, known };

// A flow, in one word: 0 is a free place. Two flows of a line with the same tag would be one flow.
//
//   63..32 tag, never 0   31..29 syn_state   28..27 ended   26 bypassed   25..23 tcp_stage   22..21 seen   20 client
//   19..0 used
struct flow_word {
  std::uint32_t tag;
  std::uint32_t used;    // time of its latest packet, in units of the clock, the low 20 bits
  std::uint32_t client;  // direction from the client, the sender of the first packet
  std::uint32_t seen;    // bits: directions with packets
  tcp_stage stage;
  std::uint32_t bypassed;  // 1: by a rule, the flow's packets are not judged
  std::uint32_t ended;     // fate of all later packets of the flow, by a rule that decides on it; 0: they are judged
  syn_state asked;

  [[nodiscard]] HOST_DEVICE static constexpr flow_word of(std::uint64_t word) {
    return {.tag = static_cast<std::uint32_t>(word >> 32),
            .used = static_cast<std::uint32_t>(word) & time_mask,
            .client = static_cast<std::uint32_t>(word >> 20 & 1),
            .seen = static_cast<std::uint32_t>(word >> 21 & 3),
            .stage = static_cast<tcp_stage>(word >> 23 & 7),
            .bypassed = static_cast<std::uint32_t>(word >> 26 & 1),
            .ended = static_cast<std::uint32_t>(word >> 27 & 3),
            .asked = static_cast<syn_state>(word >> 29 & 7)};
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint64_t word() const {
    return std::uint64_t{tag} << 32 | static_cast<std::uint64_t>(asked) << 29 | std::uint64_t{ended} << 27 |
           std::uint64_t{bypassed} << 26 | static_cast<std::uint64_t>(stage) << 23 | std::uint64_t{seen} << 21 |
           std::uint64_t{client} << 20 | used;
  }
  [[nodiscard]] HOST_DEVICE constexpr inspect::tcp_connection connection() const {
    return {.stage = stage, .asked = asked, .client = client};
  }
  HOST_DEVICE constexpr void keep(inspect::tcp_connection const& now) {
    stage = now.stage;
    client = now.client;
    asked = now.asked;
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t idle(std::uint32_t now) const { return idle_time(used, now); }
};

// The facts that a packet's rules ask about its flow.
struct followed {
  std::uint32_t place;  // of the flow's word
  bool has_place;
  bool is_new;     // the flow begins with this packet
  bool is_unsure;  // with is_new: if the packet's numbers are not known (inspect::syn_answer)
  bool is_to_server;
  bool is_established;
  bool has_begun;  // TCP: its handshake has been seen
  bool is_two_way;
  bool begins_direction;
  bool is_bypassed;
  std::uint32_t ended;  // flow_word::ended
};

struct flow_table_ref {
  std::uint64_t* words;     // [lines][line_words], zeroes at first
  std::uint32_t line_mask;  // lines - 1
};

namespace detail {

// A record that has been used within this time stays: packets that are being worked on may use it. In units of the
// clock. On a GPU, a record that was used right before a step of the clock stays up to the next one.
#if defined(__CUDA_ARCH__)
inline constexpr std::uint32_t kept_time = gpu_step + 1;
#else
inline constexpr std::uint32_t kept_time = 2;
#endif

[[nodiscard]] HOST_DEVICE constexpr std::uint32_t tag_of(std::uint64_t key) {
  auto const upper = static_cast<std::uint32_t>(key >> 32);
  return upper == 0 ? 1 : upper;
}

// The flow after this packet; `made` gets what the packet's rules ask. numbers: of the packet, if it answers a SYN.
[[nodiscard]] HOST_DEVICE constexpr flow_word after(flow_word flow, feature::packet_facts const& facts,
                                                    std::uint32_t direction, answered_numbers numbers, followed& made) {
  using inspect::tcp_connection;
  bool const is_tcp = facts.kind == feature::transport::tcp;
  unsigned const flags = is_tcp && facts.has_ports != 0 ? facts.tcp_flags : 0;
  auto const answer = flow.connection().answer_of(flags, direction);
  bool const may_be_known = answer == inspect::syn_answer::of_another_unless_known;
  bool const is_another =
      answer == inspect::syn_answer::of_another || (may_be_known && numbers != answered_numbers::known);
  made.is_new = flow.seen == 0 || is_another;
  made.is_unsure = is_another && may_be_known && numbers == answered_numbers::not_looked_up;
  if (made.is_new) {
    flow = flow_word::of(std::uint64_t{flow.tag} << 32 | flow.used);
    flow.keep(is_another ? tcp_connection::of_answer(answer, direction) : tcp_connection::of_first(flags, direction));
  }
  auto connection = flow.connection();
  bool const asks_anew = connection.is_asked_for_another(flags);
  auto const way = 1U << direction;
  made.is_to_server = direction == flow.client || asks_anew;
  made.begins_direction = (flow.seen & way) == 0 || asks_anew;
  bool const was_established = flow.stage >= tcp_stage::established && !asks_anew;
  flow.seen |= way;
  if (flags != 0) connection.follow(flags, direction);
  flow.keep(connection);
  bool const carries_data = flow.stage == tcp_stage::established && facts.payload != 0;
  made.has_begun = flow.stage >= tcp_stage::established;
  made.is_two_way = flow.seen == 3;
  // Another connection may begin with a SYN.
  bool const is_open = inspect::asks_for_connection(flags);
  made.is_bypassed = flow.bypassed != 0 && !is_open;
  made.ended = is_open ? 0 : flow.ended;
  made.is_established = is_tcp ? was_established || carries_data : flow.seen == 3;
  return flow;
}

// The flow's place in its line, or the one that it may take: a free one, or that of the flow that has been idle for the
// longest, where one with packets of both directions counts a sixteenth; line_words: none.
[[nodiscard]] HOST_DEVICE inline std::uint32_t place_in(std::uint64_t* line, std::uint32_t tag, std::uint32_t now,
                                                        std::uint64_t& seen) {
  // A GPU waits once for all words of the line, which stay in registers.
  std::uint64_t words[line_words];
  UNROLLED
  for (std::uint32_t n = 0; n < line_words; ++n) words[n] = load(line[n]);
  auto best = line_words;
  std::uint32_t most = 0;
  UNROLLED
  for (std::uint32_t n = 0; n < line_words; ++n) {
    auto const word = words[n];
    auto const flow = flow_word::of(word);
    if (word == 0 || flow.tag == tag) {
      seen = word;
      return n;
    }
    auto const idle = flow.idle(now);
    auto const weight = idle < kept_time ? 0 : flow.seen == 3 ? idle : 16 * idle;
    if (weight <= most) continue;
    most = weight;
    best = n;
    seen = word;
  }
  return best;
}

// A GPU's lanes that change one flow leave room for each other.
HOST_DEVICE inline void rest_after([[maybe_unused]] std::uint32_t tries) {
#if defined(__CUDA_ARCH__)
  constexpr std::uint32_t at_once = 32;
  if (tries >= at_once) __nanosleep(200);
#endif
}

}  // namespace detail

struct flow_place {
  std::uint32_t place;  // of the flow's word
  bool is_there;        // otherwise the table has no place for the flow
};

// Threads that change a flow at the same time try again. After this number of tries in vain a packet belongs to no
// flow: the others must not wait for it without end.
inline constexpr std::uint32_t tries_of_flow = 512;

// Finds or begins the flow of a key. each(flow, place): returns the flow after its packets that are followed now; it is
// called again if another thread has changed the flow meanwhile. now: of the clock.
template <class Each>
[[nodiscard]] HOST_DEVICE flow_place follow_flow(flow_table_ref const& table, std::uint64_t key, std::uint64_t now,
                                                 Each&& each) {
  auto const tag = detail::tag_of(key);
  auto const time = static_cast<std::uint32_t>(now) & time_mask;
  auto const first = (static_cast<std::uint32_t>(key) & table.line_mask) * line_words;
  for (std::uint32_t tries = 0; tries < tries_of_flow; ++tries) {
    detail::rest_after(tries);
    std::uint64_t before = 0;
    auto const n = detail::place_in(table.words + first, tag, time, before);
    if (n == line_words) return {};
    auto flow = flow_word::of(before);
    if (flow.tag != tag) flow = flow_word::of(std::uint64_t{tag} << 32);
    flow.used = time;
    auto const next = each(flow, first + n).word();
    // Most packets change nothing.
    if (next == before || replace(table.words[first + n], before, next)) return {first + n, true};
  }
  return {};
}

// Finds or begins the packet's flow and follows it. now: of the clock.
[[nodiscard]] HOST_DEVICE inline followed follow(flow_table_ref const& table, feature::packet_facts const& facts,
                                                 feature::packet_keys const& keys, std::uint64_t now) {
  followed made{};
  auto const at = follow_flow(table, keys.flow, now, [&](flow_word flow, std::uint32_t) {
    made = {};
    return detail::after(flow, facts, keys.direction, answered_numbers::not_looked_up, made);
  });
  if (!at.is_there) return {};
  made.place = at.place;
  made.has_place = true;
  return made;
}

// From now on the packets of the flow at this place are not judged. key: of the flow. False: they were not before, or
// the place has another flow by now.
[[nodiscard]] HOST_DEVICE inline bool bypass(flow_table_ref const& table, std::uint32_t place, std::uint64_t key) {
  for (;;) {
    auto const before = load(table.words[place]);
    auto flow = flow_word::of(before);
    if (flow.tag != detail::tag_of(key) || flow.bypassed != 0) return false;
    flow.bypassed = 1;
    if (replace(table.words[place], before, flow.word())) return true;
  }
}

// A rule has decided on the flow at this place: its later packets have this fate, which is not 0.
HOST_DEVICE inline void end_connection(flow_table_ref const& table, std::uint32_t place, std::uint64_t key,
                                       std::uint32_t decided) {
  for (;;) {
    auto const before = load(table.words[place]);
    auto flow = flow_word::of(before);
    if (flow.tag != detail::tag_of(key) || flow.ended != 0) return;
    flow.ended = decided;
    if (replace(table.words[place], before, flow.word())) return;
  }
}

// The fate of the packets of the connection at this place now; 0: they are judged.
[[nodiscard]] HOST_DEVICE inline std::uint32_t ended_fate(flow_table_ref const& table, std::uint32_t place,
                                                          std::uint64_t key) {
  auto const flow = flow_word::of(load(table.words[place]));
  return flow.tag == detail::tag_of(key) ? flow.ended : 0;
}

}  // namespace packetwarp::inspection_parts
