// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/group/read_heads.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "function/inspection/packet_note.h"
#include "inspect/match/anchor.h"
#include "inspect/match/groups.h"
#include "inspect/match/header.h"
#include "inspect/packet/dns_name.h"

// The rules without a literal that the headers of a group's packets match, found by several lanes for all packets at
// once, a packet per lane: a warp waits for the same reads and instructions once for 32 packets.
namespace packetwarp::inspection_parts {

namespace detail {

inline constexpr std::uint32_t numbers_in_room = 1U << 16;

// Whether the numbers of the groups' rows have room in 16 bits.
[[nodiscard]] HOST_DEVICE inline bool has_small_rows(inspect::ruleset_ref rules) {
  auto const& groups = rules.header().groups;
  return groups.words != 0 && groups.bits.count <= numbers_in_room * std::uint64_t{groups.row_words};
}

// The rows of the n-th packet of the group.
[[nodiscard]] HOST_DEVICE inline inspect::group_rows noted_rows(inspect::ruleset_ref rules, inspection_room const& room,
                                                                unsigned n, inspect::inspected_packet const& packet) {
  if (!has_small_rows(rules)) return inspect::rows_of(rules, packet);
  auto const& groups = rules.header().groups;
  return inspect::rows_of(rules, packet, [&](std::uint32_t axis, std::uint32_t) {
    return rules.at<std::uint64_t>(groups.bits) + std::size_t{room.grouped.rows[n][axis]} * groups.row_words;
  });
}

HOST_DEVICE inline void note_rows(inspect::ruleset_ref rules, inspection_room& room, unsigned n,
                                  inspect::inspected_packet const& packet) {
  if (!has_small_rows(rules)) return;
  std::uint32_t const numbers[] = {static_cast<std::uint32_t>(packet.source.low),
                                   static_cast<std::uint32_t>(packet.destination.low), packet.source_port,
                                   packet.destination_port};
  inspect::interval_search<inspect::group_axes> const found{
      rules.base, numbers, [&](std::uint32_t axis) { return rules.header().groups.axes[axis].begins; }};
  UNROLLED
  for (std::uint32_t axis = 0; axis < inspect::group_axes; ++axis) {
    auto const* const rows = rules.at<std::uint32_t>(rules.header().groups.axes[axis].rows);
    room.grouped.rows[n][axis] = static_cast<std::uint16_t>(rows[found[axis]]);
  }
}

// Bytes of a payload that a lane asks for alone: they came with the headers.
inline constexpr std::uint32_t short_payload = 32;

// The n-th packet as the rules of headers ask for it. It may be a message of DNS or TLS by its ports, its payload's
// size and first byte: other bytes are not read here.
[[nodiscard]] HOST_DEVICE inline inspect::inspected_packet packet_of_headers(inspection_ref const& tables,
                                                                             inspection_room const& room, unsigned n) {
  auto const& note = room.packets[n];
  auto packet = packet_of_first_piece(note);
  packet.payload_size += note.second_size;
  packet.is_dns = inspect::is_dns_message(packet);
  packet.is_tls = packet.kind == inspect::packet_kind::tcp && note.first_size != 0 && note.first_byte == tls_handshake;
  packet.is_http = message_of(tables, room, n) != nullptr;
  packet.may_ask_name = packet.is_dns || packet.is_tls;
  return packet;
}

// Whether the packet, which has the rule's header, may match the rule. A short payload is compared with its anchor.
[[nodiscard]] HOST_DEVICE inline bool may_have_text(inspect::compiled_rule const& rule, packet_note const& note,
                                                    inspect::inspected_packet const& packet) {
  bool const is_at_hand = note.first_size <= short_payload && note.second_size == 0;
  bool const is_in_stream = (note.flags & note_flag::has_text) != 0;
  return !is_at_hand || is_in_stream || inspect::may_match_at_anchor(rule, packet);
}

// Notes the rules that the packet's header matches.
HOST_DEVICE inline void note_rules(auto const& group, inspect::ruleset_ref rules, inspection_room& room, unsigned n,
                                   inspect::inspected_packet const& packet) {
  auto& found = room.grouped;
  auto const rows = noted_rows(rules, room, n, packet);
  auto const* const numbers = rules.at<std::uint32_t>(rules.header().groups.alone);
  auto const* const places = rules.at<std::uint32_t>(rules.header().groups.places);
  std::uint32_t count = 0;
  bool has_more = false;
  inspect::for_each_in_rows(rules, rows, [&](std::uint32_t bit) {
    auto const number = numbers[bit];
    if (has_more || number == inspect::not_alone) return;
    auto const& rule = rules.rule(places[bit]);
    if (!inspect::matches_header(rules, rule, packet, rows) || !may_have_text(rule, room.packets[n], packet)) return;
    has_more = count == group_rules::most || number >= numbers_in_room;
    if (!has_more) found.rules[n][count++] = static_cast<std::uint16_t>(number);
  });
  // A place without a rule repeats the last one, which is marked twice.
  for (auto i = count; count != 0 && i < group_rules::most; ++i) found.rules[n][i] = found.rules[n][i - 1];
  if (count != 0) put(group, found.have_some, 1U << n);
  if (has_more) put(group, found.have_more, 1U << n);
}

}  // namespace detail

// Finds the rows and rules of the group's packets. After read_heads().
HOST_DEVICE inline void find_group_rules(auto const& group, inspection_ref const& tables, inspect::ruleset_ref rules,
                                         inspection_room& room) {
  auto& found = room.grouped;
  if (group.lane() == 0) found.have_some = found.have_more = 0;
  group.sync();
  for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
    if (room.packets[n].ip_version == 0 || rules.header().groups.words == 0) continue;
    auto const packet = detail::packet_of_headers(tables, room, n);
    detail::note_rows(rules, room, n, packet);
    detail::note_rules(group, rules, room, n, packet);
  }
  group.sync();
}

// Whether no rule without a literal has the n-th packet's header.
[[nodiscard]] HOST_DEVICE inline bool has_no_rule(group_rules const& found, unsigned n) {
  return ((found.have_some | found.have_more) >> n & 1) == 0;
}

// Calls on one of the lanes with the number of each rule of the n-th packet.
template <class Call>
HOST_DEVICE void for_noted_rules(auto const& group, group_rules const& found, unsigned n, Call&& call) {
  if ((found.have_some >> n & 1) == 0) return;
  for (auto i = group.lane(); i < group_rules::most; i += group.lanes()) call(std::uint32_t{found.rules[n][i]});
}

}  // namespace packetwarp::inspection_parts
