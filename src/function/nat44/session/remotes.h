// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/fault.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/session/find_session.h"
#include "function/nat44/session/make_room.h"
#include "function/nat44/session/session_end.h"
#include "function/nat44/session/shares.h"

// The remote endpoints that sessions have sent to, for filters that let only these answer (RFC 4787, 5); the same
// records hold flows that came in untranslated (untranslated.h).
namespace packetwarp::nat {

// A flow that came in untranslated, as its record names it: with the inside endpoint's key in place of a session's
// name.
struct untranslated_flow {
  std::uint64_t inside;
  std::uint64_t peer;
};
// A bit of a record's peer that no key has.
inline constexpr std::uint64_t untranslated_bit = 1U << 8;

// The states of an untranslated flow: bits, or-ed.
namespace untranslated_state {
inline constexpr std::uint8_t answered = 1;   // a packet has left
inline constexpr std::uint8_t sustained = 2;  // a packet came after that: a sender with a forged source hears no answer
inline constexpr std::uint8_t closing = 4;    // of TCP: the inside has sent a FIN or a RST
}  // namespace untranslated_state

// Seconds without a packet after which an untranslated flow ends. A flow without an answer is likely to get none.
[[nodiscard]] HOST_DEVICE inline std::uint32_t timeout_of_untranslated(timeouts const& limits, transport kind,
                                                                       std::uint8_t state) {
  namespace is = untranslated_state;
  if ((state & is::answered) == 0) return idle_enough;
  if (kind == transport::icmp) return limits.icmp;
  if (kind != transport::tcp) return limits.udp;
  bool const is_open = (state & (is::sustained | is::closing)) == is::sustained;
  return is_open ? limits.tcp_established : limits.tcp_transitory;
}

[[nodiscard]] HOST_DEVICE inline std::uint64_t peer_key(filtering how, transport kind, endpoint peer) {
  bool const asks_port = how == filtering::address_and_port_dependent && kind != transport::icmp;
  return key_of(kind, {peer.address, asks_port ? peer.port : std::uint16_t{0}});
}
// A later session that gets the same number has another name.
[[nodiscard]] HOST_DEVICE inline std::uint64_t name_of(nat44_ref const& tables, std::uint32_t number,
                                                       std::uint64_t inside) {
  return tables.hash(inside) << 32 | number;
}
[[nodiscard]] HOST_DEVICE inline std::uint64_t hash_of_remote(nat44_ref const& tables, std::uint64_t session,
                                                              std::uint64_t peer) {
  return tables.hash(peer ^ tables.hash(session));
}
[[nodiscard]] HOST_DEVICE inline bool is_remote(remote const& record, std::uint64_t session, std::uint64_t peer) {
  auto const first = load_pair(&record.peer);
  return first.first == peer && first.second == session && life{load_pair(&record.life).first}.is_live();
}

// Whether the session accepts packets from the peer. A port forward is open to all.
[[nodiscard]] HOST_DEVICE inline bool lets_in(nat44_ref const& tables, transport kind, found_session const& found,
                                              endpoint peer) {
  bool const is_open = life{found.held.life}.from() == origin::configured;
  auto const how = tables.modes().filtering;
  if (is_open || how == filtering::endpoint_independent) return true;
  auto const session = name_of(tables, found.number, found.held.inside);
  auto const& rare = *tables.rare;
  auto const key = peer_key(how, kind, peer);
  bucket_table const index{rare.remote_buckets, rare.remote_mask};
  return index.find(hash_of_remote(tables, session, key),
                    [&](std::uint32_t number) { return is_remote(rare.remotes[number], session, key); }) != 0;
}

// Notes that a session sends to a remembered remote endpoint; false: the endpoint's record has ended meanwhile.
[[nodiscard]] HOST_DEVICE inline bool use_remote(remote& record, std::uint32_t now) {
  life const seen{shared(record.life).load(cuda::memory_order_relaxed)};
  auto raw = seen.raw();
  if (seen.used() == now) return true;
  bool const is_noted =
      seen.is_live() &&
      shared(record.life).compare_exchange_strong(raw, seen.seen(now, 0).raw(), cuda::memory_order_acq_rel);
  return is_noted || life{raw}.is_live();  // else another packet has noted it
}

// Frees a remote endpoint that the index does not lead to, and that is the caller's.
HOST_DEVICE inline void release_remote(nat44_ref const& tables, std::uint32_t number) {
  auto const& rare = *tables.rare;
  auto const place = shared(rare.remotes[number].place).load(cuda::memory_order_relaxed);
  forget_remote(tables, {static_cast<std::uint32_t>(place >> 32)}, static_cast<std::uint32_t>(place));
  free_set{rare.free_remotes, rare.remote_records}.give_back(number);
}

// Valid while the word of life equals `seen`: whether the remote's session exists, and the remote may stay.
[[nodiscard]] HOST_DEVICE inline bool remote_may_stay(nat44_ref const& tables, remote const& record, life seen,
                                                      std::uint32_t now) {
  auto const pair = load_pair(&record.peer);
  if ((pair.first & untranslated_bit) != 0) {
    auto const limit = timeout_of_untranslated(tables.rare->timeouts, transport_of(pair.first), seen.tcp());
    return !is_over(seen.used(), now, limit);
  }
  auto const owner = static_cast<std::uint32_t>(pair.second);
  auto const held = load_session(tables.sessions[owner]);
  life const of_owner{held.life};
  bool const has_owner = of_owner.is_live() && name_of(tables, owner, held.inside) == pair.second;
  auto const timeout = timeout_of(tables.rare->timeouts, transport_of(pair.first), of_owner.tcp());
  return has_owner && !is_over(seen.used(), now, timeout);
}

// Whether a remote that may stay still makes way for another one: it does if it is a flow from outside that has not
// gone on after an answer, so that a flood with forged sources pushes out its own flows.
[[nodiscard]] HOST_DEVICE inline bool remote_makes_way(remote const& record, life seen) {
  bool const is_untranslated = (load_pair(&record.peer).first & untranslated_bit) != 0;
  return is_untranslated && (seen.tcp() & untranslated_state::sustained) == 0;
}

// Frees a remote endpoint as it was seen; false: another thread was faster.
[[nodiscard]] HOST_DEVICE inline bool free_remote(nat44_ref const& tables, std::uint32_t number, life seen) {
  auto const& rare = *tables.rare;
  auto& record = rare.remotes[number];
  auto const pair = load_pair(&record.peer);
  auto raw = seen.raw();
  if (!shared(record.life).compare_exchange_strong(raw, seen.vacated().raw(), cuda::memory_order_acq_rel)) return false;
  bucket_table{rare.remote_buckets, rare.remote_mask}.remove(hash_of_remote(tables, pair.second, pair.first), number);
  release_remote(tables, number);
  return true;
}

// A remote whose session may end (make_room.h). readiness 0: there is none.
struct remote_to_go {
  std::uint32_t readiness{};
  std::uint32_t number{};
  life seen{0};
  found_session owner{};
};
// The readier one: `best`, or the remote of a session other than `except`.
HOST_DEVICE inline void take_readier(nat44_ref const& tables, std::uint32_t number, life seen, std::uint32_t except,
                                     std::uint32_t now, remote_to_go& best) {
  auto const pair = load_pair(&tables.rare->remotes[number].peer);
  auto const owner = static_cast<std::uint32_t>(pair.second);
  if ((pair.first & untranslated_bit) != 0 || owner == except) return;
  auto const held = load_provable(tables.sessions[owner]);
  auto const readiness = readiness_to_go(tables, held, now);
  if (readiness <= best.readiness || name_of(tables, owner, held.inside) != pair.second) return;
  best = {readiness, number, seen, {owner, held}};
}

// For the case that all remotes are taken: inspects some, and frees the first whose session has gone, whose time is
// over, or that makes way; if there is none, the one whose session is worth least ends with it, so that a flood ends
// its own sessions. session: the one that needs a remote, or 0.
[[nodiscard]] HOST_DEVICE inline bool make_room_for_remote(nat44_ref const& tables, std::uint64_t hash,
                                                           std::uint32_t session, std::uint32_t now) {
  auto const& rare = *tables.rare;
  auto const records = rare.remote_records - 1;
  auto const start = static_cast<std::uint32_t>(hash >> 16) % records;
  remote_to_go best;
  for (std::uint32_t i = 0; i < most_looked_at; ++i) {
    auto const number = 1 + (start + i) % records;
    auto const& record = rare.remotes[number];
    life const seen{shared(record.life).load(cuda::memory_order_acquire)};
    if (seen.at() != phase::live) continue;
    bool const stays = remote_may_stay(tables, record, seen, now) && !remote_makes_way(record, seen);
    if (stays) {
      take_readier(tables, number, seen, session, now, best);
    } else if (free_remote(tables, number, seen)) {
      return true;
    }
  }
  if (best.readiness == 0 || !end_at_once(tables, best.owner.number, best.owner.held, now)) return false;
  return free_remote(tables, best.number, best.seen);
}

// Records a remote endpoint that is not remembered yet.
[[nodiscard]] HOST_DEVICE inline fault add_remote(nat44_ref const& tables, std::uint64_t hash, std::uint64_t session,
                                                  std::uint64_t peer, wire::ipv4_address host, std::uint32_t now) {
  auto const& rare = *tables.rare;
  auto why = fault::remotes_full;
  std::uint32_t own = 0;
  auto const make = [&] {
    std::uint32_t slots = 0;
    if (!count_remote(tables, host, slots)) {
      why = fault::remote_limit;
      return std::uint32_t{0};
    }
    free_set const free{rare.free_remotes, rare.remote_records};
    auto const taken = free.take(static_cast<std::uint32_t>(hash >> 16) % rare.remote_records);
    if (taken == free_set::none) {
      forget_remote(tables, host, slots);
      return std::uint32_t{0};
    }
    own = taken;
    auto& record = rare.remotes[own];
    life const before{shared(record.life).load(cuda::memory_order_relaxed)};
    store_pair(&record.peer, {peer, session});
    shared(record.place).store(std::uint64_t{host.number} << 32 | slots, cuda::memory_order_relaxed);
    shared(record.life)
        .store(life{now, phase::making, origin::packet, 0, before.generation()}.raw(), cuda::memory_order_release);
    return own;
  };
  bucket_table const index{rare.remote_buckets, rare.remote_mask};
  auto const there = index.find_or_insert(
      hash, [&](std::uint32_t number) { return is_remote(rare.remotes[number], session, peer); }, make);
  if (own != 0 && there != 0) finish_making(rare.remotes[own].life);
  if (own != 0 && there == 0) {
    life const made{shared(rare.remotes[own].life).load(cuda::memory_order_relaxed)};
    shared(rare.remotes[own].life).store(made.vacated().raw(), cuda::memory_order_relaxed);
    release_remote(tables, own);
  }
  return there == 0 ? why : fault::none;
}

// Remembers that the session sends to the peer.
[[nodiscard]] HOST_DEVICE inline fault remember(nat44_ref const& tables, transport kind, found_session const& found,
                                                endpoint peer, std::uint32_t now) {
  auto const how = tables.modes().filtering;
  if (how == filtering::endpoint_independent) return fault::none;
  auto const session = name_of(tables, found.number, found.held.inside);
  auto const& rare = *tables.rare;
  auto const key = peer_key(how, kind, peer);
  auto const hash = hash_of_remote(tables, session, key);
  bucket_table const index{rare.remote_buckets, rare.remote_mask};
  auto const there =
      index.find(hash, [&](std::uint32_t number) { return is_remote(rare.remotes[number], session, key); });
  if (there != 0 && use_remote(rare.remotes[there], now)) return fault::none;
  auto const host = endpoint_of(found.held.inside).address;
  auto const why = add_remote(tables, hash, session, key, host, now);
  if (why != fault::remotes_full || !make_room_for_remote(tables, tables.hash(hash ^ now), found.number, now))
    return why;
  return add_remote(tables, hash, session, key, host, now);
}

}  // namespace packetwarp::nat
