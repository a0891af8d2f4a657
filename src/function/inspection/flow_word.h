// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "feature/packet_facts.h"
#include "feature/packet_keys.h"
#include "function/inspection/shared_word.h"
#include "function/network/unroll.h"
#include "wire/tcp.h"

namespace packetwarp::inspection_parts {

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

enum class tcp_stage : std::uint8_t { none, syn, syn_ack, established, closed };

// A flow, in one word: 0 is a free place. Two flows of a line with the same tag would be one flow.
//
//   63..32 tag, never 0   30..29 ended   28 bypassed   27..26 fins   25..23 tcp_stage   22..21 seen   20 client   19..0
//   used
struct flow_word {
  std::uint32_t tag;
  std::uint32_t used;    // time of its latest packet, in units of the clock, the low 20 bits
  std::uint32_t client;  // direction from the client, the sender of the first packet
  std::uint32_t seen;    // bits: directions with packets
  tcp_stage stage;
  std::uint32_t fins;      // bits: directions that have ended
  std::uint32_t bypassed;  // 1: by a rule, the flow's packets are not judged
  std::uint32_t ended;     // fate of all later packets of the connection, by a rule for streams; 0: they are judged

  [[nodiscard]] HOST_DEVICE static constexpr flow_word of(std::uint64_t word) {
    return {.tag = static_cast<std::uint32_t>(word >> 32),
            .used = static_cast<std::uint32_t>(word) & time_mask,
            .client = static_cast<std::uint32_t>(word >> 20 & 1),
            .seen = static_cast<std::uint32_t>(word >> 21 & 3),
            .stage = static_cast<tcp_stage>(word >> 23 & 7),
            .fins = static_cast<std::uint32_t>(word >> 26 & 3),
            .bypassed = static_cast<std::uint32_t>(word >> 28 & 1),
            .ended = static_cast<std::uint32_t>(word >> 29 & 3)};
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint64_t word() const {
    return std::uint64_t{tag} << 32 | std::uint64_t{ended} << 29 | std::uint64_t{bypassed} << 28 |
           std::uint64_t{fins} << 26 | static_cast<std::uint64_t>(stage) << 23 | std::uint64_t{seen} << 21 |
           std::uint64_t{client} << 20 | used;
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t idle(std::uint32_t now) const { return idle_time(used, now); }
};

// The facts that a packet's rules ask about its flow.
struct followed {
  std::uint32_t place;  // of the flow's word
  bool has_place;
  bool is_new;  // the flow begins with this packet
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

// The connection's stage after this packet. As in src/inspect's flow_table.
[[nodiscard]] HOST_DEVICE constexpr tcp_stage stage_after(flow_word& flow, feature::packet_facts const& facts,
                                                          std::uint32_t direction) {
  using namespace wire;
  unsigned const flags = facts.tcp_flags;
  bool const is_from_client = direction == flow.client;
  if ((flags & tcp_flag::rst) != 0) return tcp_stage::closed;
  if ((flags & tcp_flag::fin) != 0) flow.fins |= 1U << direction;
  if (flow.fins == 3) return tcp_stage::closed;
  bool const has_syn = (flags & tcp_flag::syn) != 0;
  bool const has_ack = (flags & tcp_flag::ack) != 0;
  switch (flow.stage) {
    case tcp_stage::none:
      return has_syn && !has_ack && is_from_client ? tcp_stage::syn : tcp_stage::none;
    case tcp_stage::syn:
      return has_syn && has_ack && !is_from_client ? tcp_stage::syn_ack : tcp_stage::syn;
    case tcp_stage::syn_ack:
      return !has_syn && has_ack && is_from_client ? tcp_stage::established : tcp_stage::syn_ack;
    default:
      return flow.stage;
  }
}

// The flow after this packet; `made` gets what the packet's rules ask.
[[nodiscard]] HOST_DEVICE constexpr flow_word after(flow_word flow, feature::packet_facts const& facts,
                                                    std::uint32_t direction, followed& made) {
  bool const is_tcp = facts.kind == feature::transport::tcp;
  bool const is_reused = is_tcp && flow.stage == tcp_stage::closed && feature::asks_for_connection(facts);
  if (flow.seen == 0 || is_reused) {
    flow = {.tag = flow.tag,
            .used = flow.used,
            .client = direction,
            .seen = 0,
            .stage = tcp_stage::none,
            .fins = 0,
            .bypassed = 0,
            .ended = 0};
    made.is_new = true;
  }
  auto const way = 1U << direction;
  made.is_to_server = direction == flow.client;
  made.begins_direction = (flow.seen & way) == 0;
  bool const was_established = flow.stage >= tcp_stage::established;
  flow.seen |= way;
  if (is_tcp && facts.has_ports != 0) flow.stage = stage_after(flow, facts, direction);
  bool const carries_data = flow.stage == tcp_stage::established && facts.payload != 0;
  made.has_begun = flow.stage >= tcp_stage::established;
  made.is_two_way = flow.seen == 3;
  made.is_bypassed = flow.bypassed != 0;
  made.ended = flow.ended;
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

}  // namespace detail

struct flow_place {
  std::uint32_t place;  // of the flow's word
  bool is_there;        // otherwise the table has no place for the flow
};

// Finds or begins the flow of a key. each(flow): returns the flow after its packets that are followed now; it is called
// again if another thread has changed the flow meanwhile. now: of the clock.
template <class Each>
[[nodiscard]] HOST_DEVICE flow_place follow_flow(flow_table_ref const& table, std::uint64_t key, std::uint64_t now,
                                                 Each&& each) {
  auto const tag = detail::tag_of(key);
  auto const time = static_cast<std::uint32_t>(now) & time_mask;
  auto const first = (static_cast<std::uint32_t>(key) & table.line_mask) * line_words;
  for (;;) {
    std::uint64_t before = 0;
    auto const n = detail::place_in(table.words + first, tag, time, before);
    if (n == line_words) return {};
    auto flow = flow_word::of(before);
    if (flow.tag != tag) flow = flow_word::of(std::uint64_t{tag} << 32);
    flow.used = time;
    auto const next = each(flow).word();
    // Most packets change nothing.
    if (next == before || replace(table.words[first + n], before, next)) return {first + n, true};
  }
}

// Finds or begins the packet's flow and follows it. now: of the clock.
[[nodiscard]] HOST_DEVICE inline followed follow(flow_table_ref const& table, feature::packet_facts const& facts,
                                                 feature::packet_keys const& keys, std::uint64_t now) {
  followed made{};
  auto const at = follow_flow(table, keys.flow, now, [&](flow_word flow) {
    made = {};
    return detail::after(flow, facts, keys.direction, made);
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

// A rule for streams has decided on the connection at this place: its later packets have this fate, which is not 0.
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
