// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/match/header.h"
#include "inspect/match/inspected_packet.h"

namespace packetwarp::inspect {

[[nodiscard]] HOST_DEVICE constexpr packet_way way_of(inspected_packet const& packet) noexcept {
  if (!packet.has_flow) return packet_way::none;
  return packet.is_to_server ? packet_way::to_server : packet_way::to_client;
}

namespace detail {

// The lowest bit of a word that is not 0.
[[nodiscard]] HOST_DEVICE inline std::uint32_t lowest_bit(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__ffsll(static_cast<long long>(word))) - 1;
#else
  return static_cast<std::uint32_t>(__builtin_ctzll(word));
#endif
}

// The row of the interval that the number lies in.
[[nodiscard]] HOST_DEVICE inline std::uint64_t const* row_of(ruleset_ref rules, std::uint32_t axis,
                                                             std::uint32_t number) {
  auto const& groups = rules.header().groups;
  auto const* begins = rules.at<std::uint32_t>(groups.axes[axis].begins);
  auto const at = last_range(groups.axes[axis].begins.count, [&](std::uint32_t i) { return begins[i] > number; });
  auto const row = rules.at<std::uint32_t>(groups.axes[axis].rows)[at];
  return rules.at<std::uint64_t>(groups.bits) + std::size_t{row} * groups.words;
}

}  // namespace detail

// found(place): a rule without a literal that the packet's header may match, in ascending order. matches_header() says
// whether it does.
template <class Found>
HOST_DEVICE void for_each_in_group(ruleset_ref rules, inspected_packet const& packet, Found&& found) {
  auto const& groups = rules.header().groups;
  if (groups.words == 0) return;
  auto const* bits = rules.at<std::uint64_t>(groups.bits);
  auto const fact = group_fact(packet.kind, way_of(packet), {packet.begins_direction, packet.is_established});
  auto const* facts = bits + std::size_t{rules.at<std::uint32_t>(groups.facts)[fact]} * groups.words;
  std::uint64_t const* rows[group_axes];  // of an IPv6 packet's addresses there is one
  std::uint32_t count = 0;
  if (packet.ip_version == 4) {
    rows[count++] = detail::row_of(rules, 0, static_cast<std::uint32_t>(packet.source.low));
    rows[count++] = detail::row_of(rules, 1, static_cast<std::uint32_t>(packet.destination.low));
  } else if (packet.ip_version == 6) {
    rows[count++] = bits + std::size_t{groups.ipv6} * groups.words;
  }
  bool const has_ports = packet.kind == packet_kind::tcp || packet.kind == packet_kind::udp;
  if (has_ports && packet.has_transport) {
    rows[count++] = detail::row_of(rules, group_axis_ports, packet.source_port);
    rows[count++] = detail::row_of(rules, group_axis_ports + 1, packet.destination_port);
  }
  auto const* places = rules.at<std::uint32_t>(groups.places);
  for (std::uint32_t word = 0; word < groups.words; ++word) {
    auto left = facts[word];
    for (std::uint32_t i = 0; i < count; ++i) left &= rows[i][word];
    for (; left != 0; left &= left - 1) found(places[word * 64 + detail::lowest_bit(left)]);
  }
}

}  // namespace packetwarp::inspect
