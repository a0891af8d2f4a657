// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "base/host_device.h"
#include "feature/feature_state.h"
#include "feature/level.h"
#include "feature/packet_facts.h"
#include "feature/packet_keys.h"
#include "feature/packet_records.h"
#include "feature/row.h"
#include "feature/search_together.h"
#include "feature/spread.h"
#include "feature/state_table.h"

namespace packetwarp::feature {

namespace detail {

inline constexpr std::int8_t flag = 64;

[[nodiscard]] HOST_DEVICE constexpr std::int8_t flag_if(bool holds) noexcept { return holds ? flag : std::int8_t{0}; }

// The kind of a port: 32 for a system port, 64 for a registered one, 96 for a dynamic one (RFC 6335, 6).
[[nodiscard]] HOST_DEVICE constexpr std::int8_t port_kind(std::uint16_t port) noexcept {
  return port < 1024 ? std::int8_t{32} : port < 49152 ? std::int8_t{64} : std::int8_t{96};
}

[[nodiscard]] HOST_DEVICE inline std::int8_t size_of_set(std::uint64_t set) noexcept {
#if defined(__CUDA_ARCH__)
  auto const size = 2 * __popcll(set);
#else
  auto const size = 2 * std::popcount(set);
#endif
  return size < highest_level ? static_cast<std::int8_t>(size) : highest_level;
}

HOST_DEVICE constexpr void write_packet(packet_facts const& facts, auto& row) noexcept {
  using namespace wire;
  row.set(place::length, level(facts.length));
  if (facts.ip_version == 0) return;
  row.set(place::ipv6, flag_if(facts.ip_version == 6));
  row.set(place::tcp, flag_if(facts.kind == transport::tcp));
  row.set(place::udp, flag_if(facts.kind == transport::udp));
  row.set(place::icmp, flag_if(facts.kind == transport::icmp));
  row.set(place::other_protocol, flag_if(facts.kind == transport::other));
  row.set(place::fin, flag_if((facts.tcp_flags & tcp_flag::fin) != 0));
  row.set(place::syn, flag_if((facts.tcp_flags & tcp_flag::syn) != 0));
  row.set(place::rst, flag_if((facts.tcp_flags & tcp_flag::rst) != 0));
  row.set(place::psh, flag_if((facts.tcp_flags & tcp_flag::psh) != 0));
  row.set(place::ack, flag_if((facts.tcp_flags & tcp_flag::ack) != 0));
  row.set(place::urg, flag_if((facts.tcp_flags & tcp_flag::urg) != 0));
  row.set(place::payload, level(facts.payload));
  row.set(place::window, level(facts.window));
  row.set(place::tcp_options, static_cast<std::int8_t>(facts.tcp_options));
  row.set(place::fragment, flag_if(facts.is_fragment != 0));
  if (facts.has_ports == 0) return;
  row.set(place::source_port, port_kind(facts.source_port));
  row.set(place::destination_port, port_kind(facts.destination_port));
  row.set(place::to_service, flag_if(facts.destination_port < facts.source_port));
}

// A division of 64 bits takes a GPU a hundred instructions.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t mean_length(flow_state const& state) noexcept {
  auto const packets = std::uint64_t{state.packets[0]} + state.packets[1];
  auto const bytes = std::uint64_t{state.bytes[0]} + state.bytes[1];
  if ((packets | bytes) >> 32 == 0) return static_cast<std::uint32_t>(bytes) / static_cast<std::uint32_t>(packets);
  return bytes / packets;
}

HOST_DEVICE constexpr void write_flow(flow_state const& state, std::uint64_t epoch, unsigned direction,
                                      auto& row) noexcept {
  if (is_new(state)) return;
  row.set(place::flow_packets, level(state.packets[direction]));
  row.set(place::flow_packets_back, level(state.packets[direction ^ 1]));
  row.set(place::flow_bytes, level(state.bytes[direction]));
  row.set(place::flow_bytes_back, level(state.bytes[direction ^ 1]));
  row.set(place::flow_mean, level(mean_length(state)));
  row.set(place::flow_min, level(most_length - state.shortest));
  row.set(place::flow_max, level(state.longest));
  row.set(place::flow_syn, level(state.syn));
  row.set(place::flow_fin, level(state.fin));
  row.set(place::flow_rst, level(state.rst));
  row.set(place::flow_age, level(epoch - state.first));
  row.set(place::flow_idle, level(epoch - state.last));
  row.set(place::flow_rate, level(state.rate));
}

HOST_DEVICE void write_source(host_state const& state, auto& row) {
  row.set(place::source_packets, level(state.sent.packets));
  row.set(place::source_bytes, level(state.sent.bytes));
  row.set(place::source_syn, level(state.sent.syn));
  row.set(place::source_rst, level(state.sent.rst));
  row.set(place::source_flows, level(state.sent.flows));
  row.set(place::source_ports, size_of_set(state.sent.ports));
  row.set(place::source_peers, size_of_set(state.sent.peers));
  row.set(place::source_got_packets, level(state.got.packets));
  row.set(place::source_got_rst, level(state.got.rst));
  row.set(place::source_got_icmp, level(state.got.icmp_errors));
  row.set(place::source_got_bytes, level(state.got.bytes));
  row.set(place::source_got_syn, level(state.got.syn));
  row.set(place::source_got_flows, level(state.got.flows));
  row.set(place::source_got_ports, size_of_set(state.got.ports));
  row.set(place::source_got_peers, size_of_set(state.got.peers));
  row.set(place::source_slow_ports, size_of_set(state.slow.sent_ports));
  row.set(place::source_slow_peers, size_of_set(state.slow.sent_peers));
  row.set(place::source_slow_refused, level(state.slow.got_refusals));
}

HOST_DEVICE void write_destination(host_state const& state, auto& row) {
  row.set(place::destination_packets, level(state.got.packets));
  row.set(place::destination_bytes, level(state.got.bytes));
  row.set(place::destination_syn, level(state.got.syn));
  row.set(place::destination_flows, level(state.got.flows));
  row.set(place::destination_ports, size_of_set(state.got.ports));
  row.set(place::destination_peers, size_of_set(state.got.peers));
  row.set(place::destination_sent_packets, level(state.sent.packets));
  row.set(place::destination_sent_rst, level(state.sent.rst));
  row.set(place::destination_sent_flows, level(state.sent.flows));
  row.set(place::destination_sent_icmp, level(state.sent.icmp_errors));
  row.set(place::destination_slow_ports, size_of_set(state.slow.got_ports));
  row.set(place::destination_slow_refused, level(state.slow.got_refusals));
  row.set(place::destination_sent_slow_ports, size_of_set(state.slow.sent_ports));
  row.set(place::destination_sent_slow_peers, size_of_set(state.slow.sent_peers));
}

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
  auto& half = record.of(epoch);
  return {.snapshot = half.snapshot, .ways = load(record.ways), .adds = words_of(half.adds)};
}
[[nodiscard]] HOST_DEVICE inline host_seen see(host_record& record, std::uint64_t epoch,
                                               host_side_adds host_adds::*side) {
  auto& half = record.of(epoch);
  return {.snapshot = half.snapshot, .ways = load(record.ways), .adds = words_of(half.adds.*side)};
}
// The table's first record in place of one that is not there: reads of it need no branch, and nothing follows from
// them.
template <class Record>
[[nodiscard]] HOST_DEVICE Record& readable(Record* record, table_ref<Record> const& table) {
  return record != nullptr ? *record : table.records[0];
}

// Adds the packet to its flow. Whether the packet counts as the begin of a flow: its flow has no packet up to epoch -
// 2, and it is the first one of its direction in the epoch that asks for something. So a direction counts once in each
// of the first two epochs at most. Without a record each of its packets that ask counts.
[[nodiscard]] HOST_DEVICE inline bool add_to_flow(packet_facts const& facts, unsigned direction, std::uint64_t epoch,
                                                  flow_record* record, flow_seen const& seen) {
  if (record == nullptr) return asks(facts);
  auto& adds = record->of(epoch).adds;
  add_packet(adds, seen.adds, facts, direction);
  auto const way = 1U << direction;
  include(record->ways, seen.ways, std::uint64_t{way});
  return is_new(seen.snapshot) && asks(facts) && (include(adds.begun, seen.adds.begun, way) & way) == 0;
}
HOST_DEVICE inline void add_to_hosts(packet_facts const& facts, packet_keys const& keys, std::uint64_t epoch,
                                     packet_records const& records, host_seen const& source,
                                     host_seen const& destination, host_part const& part) {
  if (records.source != nullptr) {
    add_packet(records.source->of(epoch).adds.sent, source.adds, facts.length, part, bit_of(keys.destination));
    include(records.source->ways, source.ways, std::uint64_t{1});
  }
  if (records.destination != nullptr) {
    add_packet(records.destination->of(epoch).adds.got, destination.adds, facts.length, part, bit_of(keys.source));
    include(records.destination->ways, destination.ways, std::uint64_t{2});
  }
}

// observe() with the packet's records. All of them are read before the row is made and before one is added to, so that
// a GPU waits for their memory once.
HOST_DEVICE void observe(packet_facts const& facts, packet_keys const& keys, std::uint64_t epoch,
                         state_ref const& state, packet_records const& records, auto& row) {
  note_spread(state, records.flow, epoch);
  auto const flow = see(readable(records.flow, state.flows), epoch);
  auto const source = see(readable(records.source, state.hosts), epoch, &host_adds::sent);
  auto const destination = see(readable(records.destination, state.hosts), epoch, &host_adds::got);
  if (records.flow != nullptr) write_flow(flow.snapshot, epoch, keys.direction, row);
  if (records.source != nullptr) write_source(source.snapshot, row);
  if (records.destination != nullptr) write_destination(destination.snapshot, row);
  bool const begins = add_to_flow(facts, keys.direction, epoch, records.flow, flow);
  bool const has_rst = (facts.tcp_flags & wire::tcp_flag::rst) != 0;
  host_part const part{
      .kinds = three_counts(asks_for_connection(facts) ? 1 : 0, has_rst ? 1 : 0, begins ? 1 : 0),
      .icmp_errors = facts.role == icmp_role::error ? 1U : 0U,
      .port = facts.has_ports != 0 && asks(facts) ? bit_of(mix(state.key, facts.destination_port)) : 0};
  add_to_hosts(facts, keys, epoch, records, source, destination, part);
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
  detail::write_packet(facts, row);
  if (facts.ip_version == 0) return nullptr;
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
