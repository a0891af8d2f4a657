// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "feature/feature_state.h"
#include "feature/kept_adds.h"
#include "feature/packet_facts.h"
#include "feature/packet_keys.h"
#include "feature/packet_records.h"
#include "feature/row.h"
#include "feature/search_together.h"
#include "feature/spread.h"
#include "feature/state_table.h"
#include "feature/write_row.h"

namespace packetwarp::feature {

namespace detail {

// The words of a record that most packets leave as they are, as they were before the packet was added.
struct flow_seen {
  flow_state snapshot;
  std::uint64_t ways;
  flow_words adds;
};
struct host_seen {
  host_state snapshot;
  std::uint64_t ways;
  host_words adds;
};
[[nodiscard]] HOST_DEVICE inline flow_seen see(flow_record& record, std::uint64_t epoch) {
  return {.snapshot = record.snapshot(epoch), .ways = load(record.ways), .adds = words_of(record.adds(epoch))};
}
[[nodiscard]] HOST_DEVICE inline host_seen see(host_record& record, std::uint64_t epoch,
                                               host_side_adds host_adds::*side) {
  return {.snapshot = record.snapshot(epoch), .ways = load(record.ways), .adds = words_of(record.adds(epoch).*side)};
}
// A record in place of one that is not there: reads of it need no branch, and nothing follows from them. On a GPU it is
// the table's first one, which other threads may change meanwhile.
template <class Record>
[[nodiscard]] HOST_DEVICE Record& readable(Record* record, [[maybe_unused]] table_ref<Record> const& table) {
#if defined(__CUDA_ARCH__)
  return record != nullptr ? *record : table.records[0];
#else
  static constinit Record none{};
  return record != nullptr ? *record : none;
#endif
}

// The parts of a row, where they lie in the records.
[[nodiscard]] inline row_sources sources_of(packet_facts const& facts, packet_keys const& keys, std::uint64_t epoch,
                                            packet_records const& records) {
  auto const snapshot = [epoch](auto const* record) { return record != nullptr ? &record->snapshot(epoch) : nullptr; };
  return {.facts = facts,
          .flow = snapshot(records.flow),
          .source = snapshot(records.source),
          .destination = snapshot(records.destination),
          .epoch = epoch,
          .direction = keys.direction};
}

// Adds the packet to its flow. Whether the packet counts as the begin of a flow: its flow has no packet up to epoch -
// 2, and it is the first one of its direction in the epoch that asks for something. So a direction counts once in each
// of the first two epochs at most. Without a record each of its packets that ask counts.
[[nodiscard]] HOST_DEVICE inline bool add_to_flow(packet_facts const& facts, unsigned direction, std::uint64_t epoch,
                                                  flow_record* record, flow_seen const& seen) {
  if (record == nullptr) return asks(facts);
  auto& adds = record->adds(epoch);
  add_packet(adds, seen.adds, facts, direction);
  auto const way = 1U << direction;
  include(record->ways, seen.ways, std::uint64_t{way});
  return is_new(seen.snapshot) && asks(facts) && (include(adds.begun, seen.adds.begun, way) & way) == 0;
}
HOST_DEVICE inline void add_to_hosts(packet_facts const& facts, packet_keys const& keys, std::uint64_t epoch,
                                     packet_records const& records, host_seen const& source,
                                     host_seen const& destination, host_part const& part) {
  if (records.source != nullptr) {
    add_packet(records.source->adds(epoch).sent, source.adds, facts.length, part, bit_of(keys.destination));
    include(records.source->ways, source.ways, std::uint64_t{1});
  }
  if (records.destination != nullptr) {
    add_packet(records.destination->adds(epoch).got, destination.adds, facts.length, part, bit_of(keys.source));
    include(records.destination->ways, destination.ways, std::uint64_t{2});
  }
}
// The same after the group's last packet.
inline void keep_for_hosts(packet_facts const& facts, packet_keys const& keys, std::uint64_t epoch,
                           packet_records const& records, host_part const& part, kept_adds& kept) {
  if (records.source != nullptr) {
    kept.keep(records.source->adds(epoch).sent, facts.length, part, bit_of(keys.destination));
    include(records.source->ways, std::uint64_t{1});
  }
  if (records.destination != nullptr) {
    kept.keep(records.destination->adds(epoch).got, facts.length, part, bit_of(keys.source));
    include(records.destination->ways, std::uint64_t{2});
  }
}
[[nodiscard]] HOST_DEVICE inline host_part part_of(packet_facts const& facts, state_ref const& state, bool begins) {
  bool const has_rst = (facts.tcp_flags & wire::tcp_flag::rst) != 0;
  return {.kinds = three_counts(asks_for_connection(facts) ? 1 : 0, has_rst ? 1 : 0, begins ? 1 : 0),
          .icmp_errors = facts.role == icmp_role::error ? 1U : 0U,
          .port = facts.has_ports != 0 && asks(facts) ? bit_of(mix(state.key, facts.destination_port)) : 0};
}

// For a packet without a sound IP header; it has no flow.
inline flow_record* write_without_records(packet_facts const& facts, auto& row) {
  write_row({.facts = facts, .flow = nullptr, .source = nullptr, .destination = nullptr, .epoch = 0, .direction = 0},
            row.bytes());
  return nullptr;
}

// observe() with the packet's records. All of them are read before the row is made and before one is added to, so that
// a GPU waits for their memory once.
HOST_DEVICE void observe(packet_facts const& facts, packet_keys const& keys, std::uint64_t epoch,
                         state_ref const& state, packet_records const& records, auto& row) {
  note_spread(state, records.flow, epoch);
  auto const flow = see(readable(records.flow, state.flows), epoch);
#if !defined(__CUDA_ARCH__)
  write_row(sources_of(facts, keys, epoch, records), row.bytes());
  if (state.kept != nullptr) {
    bool const begins = add_to_flow(facts, keys.direction, epoch, records.flow, flow);
    return keep_for_hosts(facts, keys, epoch, records, part_of(facts, state, begins), *state.kept);
  }
#endif
  auto const source = see(readable(records.source, state.hosts), epoch, &host_adds::sent);
  auto const destination = see(readable(records.destination, state.hosts), epoch, &host_adds::got);
#if defined(__CUDA_ARCH__)
  if (records.flow != nullptr) write_flow(flow.snapshot, epoch, keys.direction, row);
  if (records.source != nullptr) write_source(source.snapshot, row);
  if (records.destination != nullptr) write_destination(destination.snapshot, row);
#endif
  bool const begins = add_to_flow(facts, keys.direction, epoch, records.flow, flow);
  add_to_hosts(facts, keys, epoch, records, source, destination, part_of(facts, state, begins));
}

[[nodiscard]] HOST_DEVICE inline packet_records find_records(packet_keys const& keys, std::uint64_t epoch,
                                                             state_ref const& state) {
#if defined(__CUDA_ARCH__)
  return find_together(keys, epoch, state);
#else
  return {.flow = find_or_insert(state.flows, keys.flow, epoch),
          .source = find_or_insert(state.hosts, keys.source, epoch),
          .destination = find_or_insert(state.hosts, keys.destination, epoch)};
#endif
}

}  // namespace detail

// Fills a packet's row (row.h) from the packet and the state after all epochs up to epoch - 2, and adds the packet to
// the epoch. Epochs begin with 1. Packets may come in any order within an epoch and the one before it; see
// epoch_record.h. A state is used by one thread of the CPU at a time, or by threads of one GPU. Returns the record of
// the packet's flow, which stays the flow's as long as packets of the epoch are worked on; null if it has none.
HOST_DEVICE flow_record* observe(packet_facts const& facts, std::uint64_t epoch, state_ref const& state,
                                 fillable_row auto& row) {
#if defined(__CUDA_ARCH__)
  detail::write_packet(facts, row);
  if (facts.ip_version == 0) return nullptr;
#else
  if (facts.ip_version == 0) return detail::write_without_records(facts, row);
#endif
  auto const keys = keys_of(facts, state.key);
  auto const records = detail::find_records(keys, epoch, state);
  detail::observe(facts, keys, epoch, state, records, row);
  return records.flow;
}
// row_bytes: model::row_bytes.
HOST_DEVICE inline flow_record* observe(packet_facts const& facts, std::uint64_t epoch, state_ref const& state,
                                        std::int8_t* row_bytes) {
  row_writer row{row_bytes};
  return observe(facts, epoch, state, row);
}

}  // namespace packetwarp::feature
