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

// The row of an interval.
[[nodiscard]] HOST_DEVICE inline std::uint64_t const* row_of_interval(ruleset_ref rules, std::uint32_t axis,
                                                                      std::size_t interval) {
  auto const& groups = rules.header().groups;
  auto const row = rules.at<std::uint32_t>(groups.axes[axis].rows)[interval];
  return rules.at<std::uint64_t>(groups.bits) + std::size_t{row} * groups.row_words;
}

// The row of the interval that the number lies in.
[[nodiscard]] HOST_DEVICE inline std::uint64_t const* row_of(ruleset_ref rules, std::uint32_t axis,
                                                             std::uint32_t number) {
  auto const& intervals = rules.header().groups.axes[axis].begins;
  interval_search<1> const found{rules.base, {number}, [&](std::uint32_t) { return intervals; }};
  return row_of_interval(rules, axis, found[0]);
}

}  // namespace detail

// The rows of bits of a packet: the rules of its group have a bit in all of them. Fewer than there are places: some is
// there twice, so that a GPU keeps them in registers.
struct group_rows {
  static constexpr std::uint32_t count = 1 + group_axes;

  std::uint64_t const* rows[count];

  // Rules that all have literals have no groups.
  [[nodiscard]] HOST_DEVICE bool are_there() const { return rows[0] != nullptr; }
};

namespace detail {

// As has_endpoints() without rows, which searches in the rule's sets: here four bits tell, or that the packet has found
// the rule by its rows.
[[nodiscard]] HOST_DEVICE inline bool has_endpoints(ruleset_ref rules, compiled_rule const& rule,
                                                    inspected_packet const& packet, group_rows const& of) {
  auto const check = static_cast<endpoint_check>(rule.endpoints);
  if (check == endpoint_check::by_rows && packet.ip_version == 4) return true;
  auto const first = rules.header().groups.words;
  auto const bit = [&](std::uint32_t axis, std::uint32_t set) {
    return of.rows[1 + axis][first + set / 64] >> (set % 64);
  };
  auto const joins = [&](std::uint32_t from, std::uint32_t from_port, std::uint32_t to, std::uint32_t to_port) {
    // No bit is asked for only after another one: a GPU waits for all of them once.
    std::uint64_t found = 1;
    if (has_ports(packet)) found &= bit(group_axis_ports, from_port) & bit(group_axis_ports + 1, to_port);
    if (packet.ip_version == 4) return (found & bit(0, from) & bit(1, to) & 1) != 0;
    return (found & 1) != 0 && has_address(rules, from, packet.ip_version, packet.source) &&
           has_address(rules, to, packet.ip_version, packet.destination);
  };
  return joins(rule.source, rule.source_port, rule.destination, rule.destination_port) ||
         (check == endpoint_check::either_way &&
          joins(rule.destination, rule.destination_port, rule.source, rule.source_port));
}

}  // namespace detail

// As matches_header() without rows. of: the packet's rows, if there are any; a rule without a literal has a bit in all
// of them.
[[nodiscard]] HOST_DEVICE inline bool matches_header(ruleset_ref rules, compiled_rule const& rule,
                                                     inspected_packet const& packet, group_rows const& of) {
  return detail::matches_header(rules, rule, packet, [&] {
    return of.are_there() ? detail::has_endpoints(rules, rule, packet, of) : detail::has_endpoints(rules, rule, packet);
  });
}

// row(axis, number): the row of a number on an axis.
template <class Row>
[[nodiscard]] HOST_DEVICE group_rows rows_of(ruleset_ref rules, inspected_packet const& packet, Row&& row) {
  auto const& groups = rules.header().groups;
  auto const* bits = rules.at<std::uint64_t>(groups.bits);
  bool const may_ask_name = packet.may_ask_name || packet.dotted_name_size != 0;
  auto const fact =
      group_fact(packet.kind, way_of(packet), {packet.begins_direction, packet.is_established, may_ask_name});
  auto const* facts = bits + std::size_t{rules.at<std::uint32_t>(groups.facts)[fact]} * groups.row_words;
  group_rows found{{facts, facts, facts, facts, facts}};
  if (packet.ip_version == 4) {
    found.rows[1] = row(0U, static_cast<std::uint32_t>(packet.source.low));
    found.rows[2] = row(1U, static_cast<std::uint32_t>(packet.destination.low));
  } else if (packet.ip_version == 6) {  // of its addresses there is one
    found.rows[1] = bits + std::size_t{groups.ipv6} * groups.row_words;
  }
  if (detail::has_ports(packet)) {
    found.rows[3] = row(group_axis_ports, std::uint32_t{packet.source_port});
    found.rows[4] = row(group_axis_ports + 1, std::uint32_t{packet.destination_port});
  }
  return found;
}

// The rows, found by one thread.
[[nodiscard]] HOST_DEVICE inline group_rows rows_of(ruleset_ref rules, inspected_packet const& packet) {
  if (rules.header().groups.words == 0) return {};
  return rows_of(rules, packet,
                 [&](std::uint32_t axis, std::uint32_t number) { return detail::row_of(rules, axis, number); });
}

namespace detail {

// The bits that all rows have in the word.
[[nodiscard]] HOST_DEVICE inline std::uint64_t common_bits(group_rows const& of, std::uint32_t word) {
  return of.rows[0][word] & of.rows[1][word] & of.rows[2][word] & of.rows[3][word] & of.rows[4][word];
}

}  // namespace detail

// found(bit): of a rule of the group, in ascending order.
template <class Found>
HOST_DEVICE void for_each_in_rows(ruleset_ref rules, group_rows const& of, Found&& found) {
  auto const& groups = rules.header().groups;
  for (std::uint32_t first = 0; first < groups.words; first += 64) {
    for (auto words = detail::common_bits(of, groups.summary + first / 64); words != 0; words &= words - 1) {
      auto const word = first + detail::lowest_bit(words);
      for (auto left = detail::common_bits(of, word); left != 0; left &= left - 1) {
        found(word * 64 + detail::lowest_bit(left));
      }
    }
  }
}

// By all lanes of a group: found(bit) on one of them for each rule.
template <class Group, class Found>
HOST_DEVICE void share_rows(Group const& group, ruleset_ref rules, group_rows const& of, Found&& found) {
  if (group.lanes() == 1) return for_each_in_rows(rules, of, found);
  for (auto word = group.lane(); word < rules.header().groups.words; word += group.lanes()) {
    for (auto left = detail::common_bits(of, word); left != 0; left &= left - 1) {
      found(word * 64 + detail::lowest_bit(left));
    }
  }
}

// found(place): a rule without a literal that the packet's header may match, in ascending order. matches_header() says
// whether it does.
template <class Found>
HOST_DEVICE void for_each_in_group(ruleset_ref rules, group_rows const& of, Found&& found) {
  if (!of.are_there()) return;
  auto const* places = rules.at<std::uint32_t>(rules.header().groups.places);
  for_each_in_rows(rules, of, [&](std::uint32_t bit) { found(places[bit]); });
}

}  // namespace packetwarp::inspect
