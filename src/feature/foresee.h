// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "feature/feature_state.h"
#include "feature/observe.h"
#include "feature/packet_facts.h"
#include "feature/packet_keys.h"
#include "feature/state_table.h"

// A CPU waits for the memory of a packet's records, which are three among hundreds of megabytes. foresee() and
// foresee_further() fetch it for all packets of a group before observe() is called for the first of them. They change
// no table. Fetching pays for records that no cache has: are_spread() of feature/spread.h. Host code.
namespace packetwarp::feature {

// The facts that observe() needs again.
struct packet_outlook {
  packet_facts facts;
  packet_keys keys;  // if the packet has a sound IP header
  // The records' places in their tables, as look_up() found them, or no_place. For keys only.
  std::uint64_t flow;
  std::uint64_t source;
  std::uint64_t destination;
};

namespace detail {

// Few keys of a table that is not full are in their second bucket.
template <class Record>
[[gnu::always_inline]] inline void fetch_bucket(table_ref<Record> const& table, std::uint64_t key) {
  __builtin_prefetch(table.keys + table.place_of(key, 0), 0);
}

// All lines: most packets are the first ones of their record in the epoch, and begin it (epoch_record.h). Returns the
// record's place.
template <class Record>
[[gnu::always_inline]] inline std::uint64_t fetch_record(table_ref<Record> const& table, std::uint64_t key) {
  constexpr std::size_t line = 64;
  auto const place = look_up(table, key);
  if (place == no_place) return place;
  auto const* const record = reinterpret_cast<std::byte const*>(&table.records[place]);
  for (std::size_t at = 0; at < sizeof(Record); at += line) __builtin_prefetch(record + at, 1);
  return place;
}

// A packet's records, where foresee_further() found them.
[[nodiscard]] inline packet_records records_in_place(packet_outlook const& seen, std::uint64_t epoch,
                                                     state_ref const& state) {
  return {.flow = find_or_insert(state.flows, seen.keys.flow, epoch, seen.flow),
          .source = find_or_insert(state.hosts, seen.keys.source, epoch, seen.source),
          .destination = find_or_insert(state.hosts, seen.keys.destination, epoch, seen.destination)};
}

}  // namespace detail

// Fetches the places where the keys of the packet's records are. seen: with the facts, and nothing else.
inline void foresee(packet_outlook& seen, state_ref const& state) {
  if (seen.facts.ip_version == 0) return;
  seen.keys = keys_of(seen.facts, state.key);
  detail::fetch_bucket(state.flows, seen.keys.flow);
  detail::fetch_bucket(state.hosts, seen.keys.source);
  detail::fetch_bucket(state.hosts, seen.keys.destination);
}

// Notes the facts of the packet's header, before foresee().
inline void see_facts(packet_view const& packet, packet_outlook& seen) {
  // The facts are made where they stay: a copy waits for their many small stores.
  ::new (&seen.facts) packet_facts(facts_of(packet));
}

// Looks the keys up, and fetches the records.
[[gnu::always_inline]] inline void foresee_further(packet_outlook& seen, state_ref const& state) {
  if (seen.facts.ip_version == 0) return;
  seen.flow = detail::fetch_record(state.flows, seen.keys.flow);
  seen.source = detail::fetch_record(state.hosts, seen.keys.source);
  seen.destination = detail::fetch_record(state.hosts, seen.keys.destination);
}

// observe() of feature/observe.h for a packet that both steps have seen.
flow_record* observe(packet_outlook const& seen, std::uint64_t epoch, state_ref const& state, fillable_row auto& row) {
  if (seen.facts.ip_version == 0) return detail::write_without_records(seen.facts, row);
  auto const records = detail::records_in_place(seen, epoch, state);
  detail::observe(seen.facts, seen.keys, epoch, state, records, row);
  return records.flow;
}
inline flow_record* observe(packet_outlook const& seen, std::uint64_t epoch, state_ref const& state,
                            std::int8_t* row_bytes) {
  row_writer row{row_bytes};
  return observe(seen, epoch, state, row);
}

}  // namespace packetwarp::feature
