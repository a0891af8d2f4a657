// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "function/inspection/packet_note.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/language/rule.h"
#include "inspect/packet/flow_marks.h"
#include "inspect/packet/tcp_connection.h"

namespace packetwarp::inspection_parts {

// Whether a rule may match by bytes of earlier packets. The sender repeats a segment that such a rule drops, and
// repeated bytes are not searched again: the rule decides on the rest of the connection.
[[nodiscard]] HOST_DEVICE inline bool follows_from_stream(inspect::compiled_rule const& rule) {
  auto const protocol = static_cast<inspect::rule_protocol>(rule.protocol);
  bool const is_of_application = protocol == inspect::rule_protocol::http || protocol == inspect::rule_protocol::tls;
  bool const is_of_stream = static_cast<inspect::stream_use>(rule.stream) != inspect::stream_use::packet;
  return is_of_application || is_of_stream || rule.http_buffers != 0;
}

// Whether a rule of addresses and ports alone counts directions of flows by a threshold, and drops or rejects the flows
// that are too many: it decides on the rest of the flow.
[[nodiscard]] HOST_DEVICE inline bool decides_on_flows(inspect::compiled_rule const& rule) {
  return static_cast<inspect::rule_scope>(rule.scope) == inspect::rule_scope::directions &&
         static_cast<inspect::rule_action>(rule.action) != inspect::rule_action::alert;
}

// Whether another connection may begin with the packet: it is judged, whatever was decided on the one before.
[[nodiscard]] HOST_DEVICE inline bool begins_handshake(packet_note const& note) {
  return note.kind == inspect::packet_kind::tcp && inspect::asks_for_connection(note.tcp_flags);
}

// Notes the fate of the packet's connection; 0: packets are judged.
HOST_DEVICE inline void note_ended(std::uint32_t ended, packet_note& note) {
  if (ended == 0 || begins_handshake(note)) return;
  bool const rejects = static_cast<fate>(ended) == fate::rejected;
  note.flags = static_cast<std::uint16_t>(note.flags | note_flag::ended | (rejects ? note_flag::rejects : 0));
}

// Whether a rule has decided on the packet's connection, so that the packet is not judged.
[[nodiscard]] HOST_DEVICE inline bool is_ended(inspection_set const& set, packet_note const& note) {
  return (note.flags & note_flag::ended) != 0 && set.verdicts == inspection_verdicts::as_rules_say;
}
[[nodiscard]] HOST_DEVICE inline fate fate_of_ended(packet_note const& note) {
  return (note.flags & note_flag::rejects) != 0 ? fate::rejected : fate::dropped;
}

// Whether the packet is not judged: as is_ended(), or a rule has bypassed its flow.
[[nodiscard]] HOST_DEVICE inline bool is_left_out(inspection_set const& set, packet_note const& note) {
  return (note.flags & note_flag::bypassed) != 0 || is_ended(set, note);
}

// Whether a rule that an earlier packet has matched passes the rest of the packet's flow.
[[nodiscard]] HOST_DEVICE inline bool is_passed(inspection_set const& set, packet_note const& note) {
  if ((note.flags & note_flag::has_flow) == 0 || begins_handshake(note)) return false;
  return inspect::is_flow_passed(set.rules, set.bits + std::size_t{note.flow_place} * set.bit_words);
}

// Whether rules look at streams, and the packet's data are judged without one.
[[nodiscard]] HOST_DEVICE inline bool lacks_stream(inspection_set const& set, packet_note const& note) {
  return set.stream_rules != 0 && note.kind == inspect::packet_kind::tcp && note.first_size != 0 &&
         (note.flags & note_flag::has_text) == 0;
}

}  // namespace packetwarp::inspection_parts
