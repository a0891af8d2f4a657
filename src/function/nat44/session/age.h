// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/session/find_session.h"
#include "function/nat44/session/port_forward.h"
#include "function/nat44/session/remotes.h"
#include "function/nat44/session/session_end.h"

// Ends sessions that no packet has used for longer than their time-out. Some seconds later, when no packet that has
// found a session can still be in flight, its resources become free. Runs beside the packets' path, one sweep at a
// time.
namespace packetwarp::nat {

[[nodiscard]] HOST_DEVICE constexpr bool ages(phase at) { return at == phase::live || at == phase::ended; }

HOST_DEVICE inline void age_session(nat44_ref const& tables, std::uint32_t number, std::uint32_t now) {
  life const glance{shared(tables.sessions[number].life).load(cuda::memory_order_relaxed)};
  if (!ages(glance.at())) return;
  auto const held = load_provable(tables.sessions[number]);
  life const seen{held.life};
  if (!ages(seen.at())) return;
  if (!seen.is_live()) {
    if (seconds_since(seen.used(), now) >= grace) release(tables, number, held);
    return;
  }
  bool const may_stay = load_settled(tables.rare->gives[held.pool()]) != gift_to_none;
  auto const limit = timeout_of(tables.rare->timeouts, transport_of(held.inside), seen.tcp());
  if (may_stay && !is_over(seen.used(), now, limit)) return;
  // A packet that uses the session at this moment keeps it.
  (void)end_session(tables, number, held, now);
}

// A remote endpoint lasts as long as its session would without more packets to the endpoint.
HOST_DEVICE inline void age_remote(nat44_ref const& tables, std::uint32_t number, std::uint32_t now) {
  auto const& rare = *tables.rare;
  auto& record = rare.remotes[number];
  life const seen{shared(record.life).load(cuda::memory_order_acquire)};
  if (!ages(seen.at())) return;
  auto raw = seen.raw();
  if (!seen.is_live()) {
    bool const is_due = seconds_since(seen.used(), now) >= grace;
    bool const is_own =
        is_due && shared(record.life).compare_exchange_strong(raw, seen.vacated().raw(), cuda::memory_order_acq_rel);
    if (is_own) release_remote(tables, number);
    return;
  }
  if (remote_may_stay(tables, record, seen, now)) return;
  auto const pair = load_pair(&record.peer);
  if (!shared(record.life).compare_exchange_strong(raw, seen.ended(now).raw(), cuda::memory_order_acq_rel)) return;
  bucket_table{rare.remote_buckets, rare.remote_mask}.remove(hash_of_remote(tables, pair.second, pair.first), number);
}

// The end of the records of either kind that a sweep has to visit, from 1 on.
[[nodiscard]] HOST_DEVICE inline std::uint32_t records_to_age(nat44_ref const& tables) {
  auto const& rare = *tables.rare;
  return rare.sessions > rare.remote_records ? rare.sessions : rare.remote_records;
}

HOST_DEVICE inline void age_record(nat44_ref const& tables, std::uint32_t number, std::uint32_t now) {
  if (number == 0) return;
  auto const& rare = *tables.rare;
  if (number < rare.first_forward) {
    age_session(tables, number, now);
  } else if (number < rare.sessions) {
    (void)settle_forward(tables, number, occupant::ends, now);
  }
  if (number < rare.remote_records) age_remote(tables, number, now);
}

// Visits the records from begin to end - 1.
HOST_DEVICE inline void age_slice(nat44_ref const& tables, std::uint32_t begin, std::uint32_t end, std::uint32_t now) {
  for (auto number = begin; number < end; ++number) age_record(tables, number, now);
}

}  // namespace packetwarp::nat
