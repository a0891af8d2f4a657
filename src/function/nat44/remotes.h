// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/fault.h"
#include "function/nat44/find_session.h"
#include "function/nat44/nat44_ref.h"

// Where sessions have sent to, for filters that let only those answer (RFC 4787, 5).
namespace packetwarp::nat {

[[nodiscard]] HOST_DEVICE inline std::uint64_t peer_key(filtering how, transport kind, endpoint peer) {
  bool const asks_port = how == filtering::address_and_port_dependent && kind != transport::icmp;
  return key_of(kind, {peer.address, asks_port ? peer.port : std::uint16_t{0}});
}
// Another session that gets its number later has another name.
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

// Whether the session may be sent to from there. A port forward is open to all.
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

// The session sends to there.
[[nodiscard]] HOST_DEVICE inline fault remember(nat44_ref const& tables, transport kind, found_session const& found,
                                                endpoint peer, std::uint32_t now) {
  auto const how = tables.modes().filtering;
  if (how == filtering::endpoint_independent) return fault::none;
  auto const session = name_of(tables, found.number, found.held.inside);
  auto const& rare = *tables.rare;
  auto const key = peer_key(how, kind, peer);
  auto const hash = hash_of_remote(tables, session, key);
  bucket_table const index{rare.remote_buckets, rare.remote_mask};
  auto const is_it = [&](std::uint32_t number) { return is_remote(rare.remotes[number], session, key); };
  if (auto const there = index.find(hash, is_it); there != 0) {
    life const seen{shared(rare.remotes[there].life).load(cuda::memory_order_relaxed)};
    auto raw = seen.raw();
    if (seen.used() == now) return fault::none;
    if (seen.is_live() && shared(rare.remotes[there].life)
                              .compare_exchange_strong(raw, seen.seen(now, 0).raw(), cuda::memory_order_acq_rel)) {
      return fault::none;
    }
    if (life{raw}.is_live()) return fault::none;  // another packet has noted it
  }
  free_set const free{rare.free_remotes, rare.remote_records};
  std::uint32_t own = 0;
  auto const there = index.find_or_insert(hash, is_it, [&] {
    auto const taken = free.take(static_cast<std::uint32_t>(hash >> 16) % rare.remote_records);
    if (taken == free_set::none) return std::uint32_t{0};
    own = taken;
    auto& record = rare.remotes[own];
    shared(record.peer).store(key, cuda::memory_order_relaxed);
    shared(record.session).store(session, cuda::memory_order_relaxed);
    shared(record.life).store(life{now, phase::making, origin::packet, 0}.raw(), cuda::memory_order_release);
    return own;
  });
  if (own != 0 && there != 0) finish_making(rare.remotes[own].life);
  if (own != 0 && there == 0) {
    shared(rare.remotes[own].life).store(0, cuda::memory_order_relaxed);
    free.give_back(own);
  }
  return there == 0 ? fault::remotes_full : fault::none;
}

}  // namespace packetwarp::nat
