// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "base/host_device.h"
#include "feature/flow_record.h"
#include "feature/host_record.h"
#include "feature/level.h"
#include "feature/packet_facts.h"
#include "feature/row.h"
#include "wire/tcp.h"

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

// A flow's packets by another ring may be some epochs ahead.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t epochs_between(std::uint64_t then, std::uint64_t now) noexcept {
  return now > then ? now - then : 0;
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
  row.set(place::flow_age, level(epochs_between(state.first, epoch)));
  row.set(place::flow_idle, level(epochs_between(state.last, epoch)));
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

}  // namespace detail

// The parts that a packet's row is made of: the packet, and its records' snapshots for the packet's epoch, null without
// a record.
struct row_sources {
  packet_facts const& facts;
  flow_state const* flow;
  host_state const* source;
  host_state const* destination;
  std::uint64_t epoch;
  unsigned direction;  // as in packet_keys
};

// Writes all model::row_bytes of a packet's row, by the vector instructions that the processor has. The bytes are those
// of write_row_plainly(), which is the code that a GPU runs. Host code.
void write_row(row_sources const& sources, std::int8_t* row);
void write_row_plainly(row_sources const& sources, std::int8_t* row);
// On a processor with AVX2.
void write_row_avx2(row_sources const& sources, std::int8_t* row);

}  // namespace packetwarp::feature
