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

// The packets that a host sent, or got, in one epoch.
struct host_side_adds {
  std::uint64_t traffic;  // one_packet()
  std::uint64_t kinds;    // three_counts(): requests for a connection, packets with RST, flows that begin
  std::uint64_t icmp_errors;
  std::uint64_t ports;  // a bit per port that was asked for: of its hash
  std::uint64_t peers;  // a bit per host on the other side
};
struct host_adds {
  host_side_adds sent;
  host_side_adds got;
};

// Rates: halved every 256 ms. Sets: emptied every 1,024 ms.
struct host_side_state {
  std::uint64_t ports;
  std::uint64_t peers;
  std::uint32_t packets;
  std::uint32_t bytes;
  std::uint32_t syn;
  std::uint32_t rst;
  std::uint32_t flows;
  std::uint32_t icmp_errors;
};
// The same for half a minute. Sets of 32: the lower half of a set of 64 joined with the upper one. They lose one member
// each 1,024 ms, in turn, and not all at once, so that the ports of a slow scan are seen together at any time.
struct host_slow_state {
  std::uint32_t sent_ports;
  std::uint32_t sent_peers;
  std::uint32_t got_ports;
  std::uint32_t got_refusals;  // packets with RST and ICMP errors, halved every 8,192 ms
};
struct host_state {
  host_side_state sent;
  host_side_state got;
  host_slow_state slow;
};

using host_record = epoch_record<host_state, host_adds>;
static_assert(sizeof(host_side_adds) == 40 && sizeof(host_side_state) == 40 && sizeof(host_record) == 384);
static_assert(std::is_trivially_copyable_v<host_record>);

HOST_DEVICE constexpr void merge(host_side_state& state, host_side_adds const& adds) noexcept {
  state.packets = saturating_sum(state.packets, packets_of(adds.traffic));
  state.bytes = saturating_sum(state.bytes, bytes_of(adds.traffic));
  state.syn = saturating_sum(state.syn, count_of_three(adds.kinds, 0));
  state.rst = saturating_sum(state.rst, count_of_three(adds.kinds, 1));
  state.flows = saturating_sum(state.flows, count_of_three(adds.kinds, 2));
  state.icmp_errors = saturating_sum(state.icmp_errors, adds.icmp_errors);
  state.ports |= adds.ports;
  state.peers |= adds.peers;
}

[[nodiscard]] HOST_DEVICE constexpr std::uint32_t folded(std::uint64_t set) noexcept {
  return static_cast<std::uint32_t>(set | set >> 32);
}
HOST_DEVICE constexpr void merge(host_slow_state& state, host_adds const& adds) noexcept {
  state.sent_ports |= folded(adds.sent.ports);
  state.sent_peers |= folded(adds.sent.peers);
  state.got_ports |= folded(adds.got.ports);
  state.got_refusals = saturating_sum(state.got_refusals, count_of_three(adds.got.kinds, 1) + adds.got.icmp_errors);
}
HOST_DEVICE constexpr void merge(host_state& state, host_adds const& adds, std::uint64_t) noexcept {
  merge(state.sent, adds.sent);
  merge(state.got, adds.got);
  merge(state.slow, adds);
}

HOST_DEVICE constexpr void age(host_side_state& state, std::uint64_t from, std::uint64_t to) noexcept {
  auto const times = halvings(from, to);
  state.packets = halved(state.packets, times);
  state.bytes = halved(state.bytes, times);
  state.syn = halved(state.syn, times);
  state.rst = halved(state.rst, times);
  state.flows = halved(state.flows, times);
  state.icmp_errors = halved(state.icmp_errors, times);
  if (empties_sets(from, to)) state.ports = state.peers = 0;
}

inline constexpr unsigned member_life_bits = 10;     // a slow set forgets a member every 1,024 ms
inline constexpr unsigned slow_half_life_bits = 13;  // 8,192 ms

// The members that a slow set keeps on the way from one snapshot to another: it forgets the member with the number
// e >> member_life_bits, mod 32, of each epoch e at which that number changes.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t kept_members(std::uint64_t from, std::uint64_t to) noexcept {
  auto const count = (to >> member_life_bits) - (from >> member_life_bits);
  if (count >= 32) return 0;
  auto const members = (std::uint64_t{1} << count) - 1;
  auto const first = ((from >> member_life_bits) + 1) & 31;
  return ~folded(members << first);
}
HOST_DEVICE constexpr void age(host_slow_state& state, std::uint64_t from, std::uint64_t to) noexcept {
  auto const kept = kept_members(from, to);
  state.sent_ports &= kept;
  state.sent_peers &= kept;
  state.got_ports &= kept;
  auto const crossed = (to >> slow_half_life_bits) - (from >> slow_half_life_bits);
  state.got_refusals = halved(state.got_refusals, crossed < 32 ? static_cast<unsigned>(crossed) : 32U);
}
HOST_DEVICE constexpr void age(host_state& state, std::uint64_t from, std::uint64_t to) noexcept {
  age(state.sent, from, to);
  age(state.got, from, to);
  age(state.slow, from, to);
}

// A packet's counts for both of its hosts.
struct host_part {
  std::uint64_t kinds;        // as in host_side_adds
  std::uint64_t icmp_errors;  // 0, 1
  std::uint64_t port;         // a bit, or 0
};

// The words of host_side_adds that most packets leave as they are, as a thread has loaded them.
struct host_words {
  std::uint64_t ports;
  std::uint64_t peers;
};
[[nodiscard]] HOST_DEVICE inline host_words words_of(host_side_adds& adds) {
  return {.ports = load(adds.ports), .peers = load(adds.peers)};
}

// seen: loaded before.
HOST_DEVICE inline void add_packet(host_side_adds& adds, host_words const& seen, std::uint32_t length,
                                   host_part const& part, std::uint64_t peer) {
  add(adds.traffic, one_packet(length));
  if (part.kinds != 0) add(adds.kinds, part.kinds);
  if (part.icmp_errors != 0) add(adds.icmp_errors, part.icmp_errors);
  if (part.port != 0) include(adds.ports, seen.ports, part.port);
  include(adds.peers, seen.peers, peer);
}

}  // namespace packetwarp::feature
