// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "feature/access.h"
#include "feature/epoch_record.h"
#include "feature/packed_counts.h"
#include "feature/packet_facts.h"

namespace packetwarp::feature {

// Directions of a flow: 0 from the endpoint that comes first in the order of packet_keys.h, 1 to it.

// The packets of one epoch.
struct flow_adds {
  std::uint64_t traffic[2];  // per direction: one_packet()
  std::uint64_t flags;       // three_counts(): packets with SYN, FIN, RST
  std::uint32_t longest;     // bytes
  std::uint32_t shortest;    // most_length - bytes, so that the largest wins
  std::uint32_t begun;       // bits: directions of packets that begin the flow
  std::uint32_t marks;       // of flow_mark
};

// Marks that the judge of a flow's packets leaves in the flow; features do not follow from them. The verdict of the
// latest epoch with one counts, and of an epoch's verdicts `anomalous`.
namespace flow_mark {
inline constexpr std::uint32_t milestones = 0xff;  // a bit per milestone that the flow has passed
inline constexpr std::uint32_t normal = 1U << 8;
inline constexpr std::uint32_t anomalous = 1U << 9;
inline constexpr std::uint32_t verdict = normal | anomalous;
}  // namespace flow_mark

// All counts stay at their type's largest number once they reach it.
struct flow_state {
  std::uint32_t packets[2];
  std::uint32_t bytes[2];
  std::uint32_t rate;  // packets, halved every 256 ms
  std::uint16_t longest;
  std::uint16_t shortest;  // as in flow_adds
  std::uint16_t syn;
  std::uint16_t fin;
  std::uint16_t rst;
  std::uint16_t marks;
  std::uint64_t first;  // epoch of the first packet
  std::uint64_t last;   // epoch of the last one
};

using flow_record = epoch_record<flow_state, flow_adds>;
static_assert(sizeof(flow_adds) == 40 && sizeof(flow_state) == 48 && sizeof(flow_record) == 192);
static_assert(std::is_trivially_copyable_v<flow_record>);

inline constexpr std::uint32_t most_length = 0xffff;  // of a packet in a flow's extremes, bytes

[[nodiscard]] HOST_DEVICE constexpr bool is_new(flow_state const& state) noexcept {
  return (state.packets[0] | state.packets[1]) == 0;
}

HOST_DEVICE constexpr void merge_marks(flow_state& state, std::uint32_t marks) noexcept {
  std::uint32_t kept = state.marks;
  if ((marks & flow_mark::verdict) != 0) kept &= ~flow_mark::verdict;
  if ((marks & flow_mark::anomalous) != 0) marks &= ~flow_mark::normal;
  state.marks = static_cast<std::uint16_t>(kept | marks);
}

HOST_DEVICE constexpr void merge(flow_state& state, flow_adds const& adds, std::uint64_t epoch) noexcept {
  auto const packets = packets_of(adds.traffic[0]) + packets_of(adds.traffic[1]);
  if (packets == 0) return;
  if (is_new(state)) state.first = epoch;
  state.last = epoch;
  for (unsigned direction = 0; direction < 2; ++direction) {
    state.packets[direction] = saturating_sum(state.packets[direction], packets_of(adds.traffic[direction]));
    state.bytes[direction] = saturating_sum(state.bytes[direction], bytes_of(adds.traffic[direction]));
  }
  state.rate = saturating_sum(state.rate, packets);
  if (adds.longest > state.longest) state.longest = static_cast<std::uint16_t>(adds.longest);
  if (adds.shortest > state.shortest) state.shortest = static_cast<std::uint16_t>(adds.shortest);
  state.syn = saturating_sum(state.syn, count_of_three(adds.flags, 0));
  state.fin = saturating_sum(state.fin, count_of_three(adds.flags, 1));
  state.rst = saturating_sum(state.rst, count_of_three(adds.flags, 2));
  if (adds.marks != 0) merge_marks(state, adds.marks);
}

HOST_DEVICE constexpr void age(flow_state& state, std::uint64_t from, std::uint64_t to) noexcept {
  state.rate = halved(state.rate, halvings(from, to));
}

// The words of flow_adds that most packets leave as they are, as a thread has loaded them.
struct flow_words {
  std::uint32_t longest;
  std::uint32_t shortest;
  std::uint32_t begun;
};
[[nodiscard]] HOST_DEVICE inline flow_words words_of(flow_adds& adds) {
  return {.longest = load(adds.longest), .shortest = load(adds.shortest), .begun = load(adds.begun)};
}

// seen: loaded before.
HOST_DEVICE inline void add_packet(flow_adds& adds, flow_words const& seen, packet_facts const& facts,
                                   unsigned direction) {
  using namespace wire;
  add(adds.traffic[direction], one_packet(facts.length));
  auto const length = facts.length < most_length ? facts.length : most_length;
  raise(adds.longest, seen.longest, length);
  raise(adds.shortest, seen.shortest, most_length - length);
  unsigned const flags = facts.tcp_flags;
  if ((flags & (tcp_flag::syn | tcp_flag::fin | tcp_flag::rst)) != 0) {
    add(adds.flags, three_counts((flags & tcp_flag::syn) != 0 ? 1 : 0, (flags & tcp_flag::fin) != 0 ? 1 : 0,
                                 (flags & tcp_flag::rst) != 0 ? 1 : 0));
  }
}

}  // namespace packetwarp::feature
