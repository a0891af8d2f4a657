// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/host_device.h"
#include "model/integer_network.h"

namespace packetwarp::feature {

// The places of features in a packet's row of model::row_bytes; docs/features.md defines each. Bytes after the last
// one are 0. Files of models name features, so a place may change, and a name keeps its meaning.
enum class place : std::uint8_t {
  // The packet by itself.
  length,
  ipv6,
  tcp,
  udp,
  icmp,
  other_protocol,
  fin,
  syn,
  rst,
  psh,
  ack,
  urg,
  payload,
  window,
  tcp_options,
  fragment,
  source_port,
  destination_port,
  to_service,
  // The packet's flow: "back" is the direction against this packet's.
  flow_packets,
  flow_packets_back,
  flow_bytes,
  flow_bytes_back,
  flow_mean,
  flow_min,
  flow_max,
  flow_syn,
  flow_fin,
  flow_rst,
  flow_age,
  flow_idle,
  flow_rate,
  // The host that sent the packet: what it sent, then what it got.
  source_packets,
  source_bytes,
  source_syn,
  source_rst,
  source_flows,
  source_ports,
  source_peers,
  source_got_packets,
  source_got_rst,
  source_got_icmp,
  // The host that the packet is for: what it got, then what it sent.
  destination_packets,
  destination_bytes,
  destination_syn,
  destination_flows,
  destination_ports,
  destination_peers,
  destination_sent_packets,
  destination_sent_rst,
  // More of the other side of both hosts: what the source got, and what the destination sent.
  source_got_bytes,
  source_got_syn,
  source_got_flows,
  source_got_ports,
  source_got_peers,
  destination_sent_flows,
  destination_sent_icmp,
  // Both hosts in the last half minute.
  source_slow_ports,
  source_slow_peers,
  source_slow_refused,
  destination_slow_ports,
  destination_slow_refused,
  destination_sent_slow_ports,
  destination_sent_slow_peers
};

inline constexpr std::size_t features = static_cast<std::size_t>(place::destination_sent_slow_peers) + 1;
static_assert(features <= model::row_bytes);

// By place.
inline constexpr std::array<std::string_view, features> names{"length",
                                                              "ipv6",
                                                              "tcp",
                                                              "udp",
                                                              "icmp",
                                                              "other_protocol",
                                                              "fin",
                                                              "syn",
                                                              "rst",
                                                              "psh",
                                                              "ack",
                                                              "urg",
                                                              "payload",
                                                              "window",
                                                              "tcp_options",
                                                              "fragment",
                                                              "source_port",
                                                              "destination_port",
                                                              "to_service",
                                                              "flow_packets",
                                                              "flow_packets_back",
                                                              "flow_bytes",
                                                              "flow_bytes_back",
                                                              "flow_mean",
                                                              "flow_min",
                                                              "flow_max",
                                                              "flow_syn",
                                                              "flow_fin",
                                                              "flow_rst",
                                                              "flow_age",
                                                              "flow_idle",
                                                              "flow_rate",
                                                              "source_packets",
                                                              "source_bytes",
                                                              "source_syn",
                                                              "source_rst",
                                                              "source_flows",
                                                              "source_ports",
                                                              "source_peers",
                                                              "source_got_packets",
                                                              "source_got_rst",
                                                              "source_got_icmp",
                                                              "destination_packets",
                                                              "destination_bytes",
                                                              "destination_syn",
                                                              "destination_flows",
                                                              "destination_ports",
                                                              "destination_peers",
                                                              "destination_sent_packets",
                                                              "destination_sent_rst",
                                                              "source_got_bytes",
                                                              "source_got_syn",
                                                              "source_got_flows",
                                                              "source_got_ports",
                                                              "source_got_peers",
                                                              "destination_sent_flows",
                                                              "destination_sent_icmp",
                                                              "source_slow_ports",
                                                              "source_slow_peers",
                                                              "source_slow_refused",
                                                              "destination_slow_ports",
                                                              "destination_slow_refused",
                                                              "destination_sent_slow_ports",
                                                              "destination_sent_slow_peers"};

// A row that is being filled.
template <class Row>
concept fillable_row = requires(Row& row) {
  row.set(place::length, std::int8_t{});
  { row.bytes() } -> std::same_as<std::int8_t*>;
};

// A row of model::row_bytes bytes in whatever memory, zeroes at first. Each feature is set once at
// most.
class row_writer {
 public:
  explicit HOST_DEVICE constexpr row_writer(std::int8_t* row) noexcept : row_{row} {
    for (std::size_t i = 0; i < model::row_bytes; ++i) row_[i] = 0;
  }
  HOST_DEVICE constexpr void set(place at, std::int8_t value) const noexcept {
    row_[static_cast<std::size_t>(at)] = value;
  }
  [[nodiscard]] HOST_DEVICE constexpr std::int8_t* bytes() const noexcept { return row_; }

 private:
  std::int8_t* row_;
};

// The same in words, the first feature in the lowest byte of the first one, zeroes at first. A thread of a GPU has them
// in registers: it cannot keep bytes there.
struct alignas(16) packed_row {
  std::uint32_t words[model::row_bytes / sizeof(std::uint32_t)];

  HOST_DEVICE constexpr void set(place at, std::int8_t value) noexcept {
    auto const byte = static_cast<std::size_t>(at);
    words[byte / 4] |= std::uint32_t{static_cast<std::uint8_t>(value)} << byte % 4 * 8;
  }
  [[nodiscard]] HOST_DEVICE std::int8_t const* bytes() const noexcept {
    return reinterpret_cast<std::int8_t const*>(words);
  }
  [[nodiscard]] HOST_DEVICE std::int8_t* bytes() noexcept { return reinterpret_cast<std::int8_t*>(words); }
};

}  // namespace packetwarp::feature
