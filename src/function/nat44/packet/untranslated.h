// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/fault.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/packet/flow.h"
#include "function/nat44/packet/fragment.h"
#include "function/nat44/session/find_session.h"
#include "function/nat44/session/remotes.h"

// If packets from outside that belong to no session are routed unchanged, so are their answers: a translated answer
// would come from a host to which the asker has sent nothing. The flow is recorded among the remotes by both endpoints,
// counted for the host outside, and kept alive by both directions. Without unmatched::forward none of this is
// consulted.
namespace packetwarp::nat {

[[nodiscard]] HOST_DEVICE inline untranslated_flow untranslated_between(transport kind, endpoint inside,
                                                                        endpoint outside) {
  return {key_of(kind, inside), key_of(kind, outside) | untranslated_bit};
}

// The flow's record among the remotes; 0: none.
[[nodiscard]] HOST_DEVICE inline std::uint32_t find_untranslated(nat44_ref const& tables,
                                                                 untranslated_flow const& flow) {
  auto const& rare = *tables.rare;
  bucket_table const index{rare.remote_buckets, rare.remote_mask};
  return index.find(hash_of_remote(tables, flow.inside, flow.peer),
                    [&](std::uint32_t number) { return is_remote(rare.remotes[number], flow.inside, flow.peer); });
}

// The state of a flow after one more packet. Only packets from inside can close it: any host can forge the other
// direction.
[[nodiscard]] HOST_DEVICE constexpr std::uint8_t after_untranslated(std::uint8_t state, direction way,
                                                                    std::uint8_t tcp_flags) {
  bool const ends = (tcp_flags & (wire::tcp_flag::fin | wire::tcp_flag::rst)) != 0;
  if (way == direction::out) {
    return static_cast<std::uint8_t>(state | untranslated_state::answered | (ends ? untranslated_state::closing : 0));
  }
  bool const begins_anew = (tcp_flags & wire::tcp_flag::syn) != 0 && (state & untranslated_state::closing) != 0;
  if (begins_anew) return 0;
  bool const is_answered = (state & untranslated_state::answered) != 0;
  return static_cast<std::uint8_t>(is_answered ? state | untranslated_state::sustained : state);
}

// Notes that a packet belongs to the flow; false: the flow has ended meanwhile.
[[nodiscard]] HOST_DEVICE inline bool use_untranslated(remote& record, direction way, std::uint8_t tcp_flags,
                                                       std::uint32_t now) {
  life seen{shared(record.life).load(cuda::memory_order_relaxed)};
  auto const generation = seen.generation();
  while (seen.is_live() && seen.generation() == generation) {
    auto const state = after_untranslated(seen.tcp(), way, tcp_flags);
    if (seen.used() == now && seen.tcp() == state) return true;
    auto raw = seen.raw();
    if (shared(record.life).compare_exchange_strong(raw, seen.seen(now, state).raw(), cuda::memory_order_acq_rel)) {
      return true;
    }
    seen = life{raw};
  }
  return false;
}

// Whether a packet from inside belongs to a flow that came in untranslated. An error is about a flow, and does not keep
// it alive.
[[nodiscard]] HOST_DEVICE inline bool stays_untranslated(nat44_ref const& tables, flow const& of) {
  auto const there = find_untranslated(tables, untranslated_between(of.kind, of.source, of.destination));
  if (there == 0 || of.held_by == carrier::error) return there != 0;
  return use_untranslated(tables.rare->remotes[there], direction::out, of.tcp_flags, tables.now());
}

// Whether packets from the inside endpoint to the other one are translated by a session that the inside made before: no
// host outside ends this with a packet that bypasses the session. If no filter remembers the session's remote
// endpoints, it holds for all packets of a TCP endpoint.
[[nodiscard]] HOST_DEVICE inline bool has_been_sent_to(nat44_ref const& tables, flow const& of) {
  if (of.kind == transport::none) return false;
  auto const found = find_inside(tables, key_of(of.kind, of.destination));
  if (found.number == 0 || life{found.held.life}.from() == origin::configured) return false;
  bool const has_filter = tables.modes().filtering != filtering::endpoint_independent;
  return has_filter ? lets_in(tables, of.kind, found, of.source) : of.kind == transport::tcp;
}

// Notes a packet from outside that is routed unchanged, for its answers. A fault: the records are full, and the packet
// must not go.
[[nodiscard]] HOST_DEVICE inline fault note_untranslated(nat44_ref const& tables, flow const& of) {
  auto const now = tables.now();
  auto const flow = untranslated_between(of.kind, of.destination, of.source);
  auto const there = find_untranslated(tables, flow);
  auto& remotes = tables.rare->remotes;
  if (there != 0 && use_untranslated(remotes[there], direction::in, of.tcp_flags, now)) return fault::none;
  if (has_been_sent_to(tables, of)) return fault::none;
  auto const hash = hash_of_remote(tables, flow.inside, flow.peer);
  auto const why = add_remote(tables, hash, flow.inside, flow.peer, of.source.address, now);
  if (why != fault::remotes_full || !make_room_for_remote(tables, tables.hash(hash ^ now), 0, now)) return why;
  return add_remote(tables, hash, flow.inside, flow.peer, of.source.address, now);
}

// The same for any packet. An ICMP error has no answer, and a later fragment has no ports: the first fragment has been
// noted, or will be.
[[nodiscard]] HOST_DEVICE inline fault note_untranslated(nat44_ref const& tables, packet_view packet,
                                                         wire::ipv4_view<std::byte> ip, std::uint32_t ip_at) {
  if (ip.fragment_offset() != 0) return fault::none;
  auto const of = ip.is_fragment() ? read_first_fragment(packet, ip, ip_at) : read_flow(packet, ip, ip_at);
  bool const has_answers = of.wrong == fault::none && of.held_by != carrier::error;
  return has_answers ? note_untranslated(tables, of) : fault::none;
}

}  // namespace packetwarp::nat
