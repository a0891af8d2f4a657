// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/group/trial.h"
#include "function/inspection/record/late_packet.h"

namespace packetwarp::inspection_parts::detail {

// Whether the rule has matched up to an expression on which the CPU decides.
[[nodiscard]] HOST_DEVICE inline bool is_decided_later(trial const& of, inspect::compiled_rule const& rule) {
  return static_cast<inspect::late_use>(rule.late) == inspect::late_use::by_cpu && engine_of(of) == nullptr;
}

[[nodiscard]] HOST_DEVICE inline alert alert_by(trial const& of, inspect::compiled_rule const& rule, fate said) {
  auto const& packet = of.packet;
  bool const has_icmp = packet.kind == inspect::packet_kind::icmp && packet.has_transport;
  bool const has_ports = packet.has_transport && !has_icmp;
  std::uint32_t const flags =
      (of.room.set != 0 ? alert_flag::second_set : 0U) | (has_ports ? alert_flag::has_ports : 0U) |
      (has_icmp ? alert_flag::has_icmp : 0U) | (packet.has_flow ? alert_flag::has_flow : 0U) |
      (packet.is_to_server ? alert_flag::to_server : 0U) | (said != fate::goes_on ? alert_flag::blocked : 0U);
  return {.source = packet.source,
          .destination = packet.destination,
          .flow = of.note.flow,
          .rule = rule.number,
          .source_port = packet.source_port,
          .destination_port = packet.destination_port,
          .ip_version = packet.ip_version,
          .protocol = of.note.protocol,
          .flags = static_cast<std::uint8_t>(flags),
          .icmp_type = packet.icmp_type,
          .icmp_code = packet.icmp_code,
          .packet = 0};
}

// The lane writes eight bytes at a time: each write may go over PCIe.
HOST_DEVICE inline void copy_late_text(inspect::text_view text, late_packet& to) {
  constexpr std::uint32_t at_once = sizeof(std::uint64_t);
  to.size = static_cast<std::uint16_t>(text.size);
  for (std::uint32_t at = 0; at < text.size; at += at_once) {
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < at_once && at + i < text.size; ++i) {
      bytes |= static_cast<std::uint64_t>(text.bytes[at + i]) << (8 * i);
    }
    reinterpret_cast<std::uint64_t*>(to.text)[at / at_once] = bytes;
  }
}

// A payload that differs from its stream is given without it.
HOST_DEVICE inline void note_places(inspect::inspected_packet const& packet, inspect::text_view text, late_packet& to) {
  auto const narrow = [](std::ptrdiff_t number) { return static_cast<std::uint16_t>(number); };
  bool const has_stream = packet.is_in_stream && !packet.differs_from_stream;
  to.payload_at = narrow(packet.payload - text.bytes);
  to.payload_size = narrow(packet.payload_size);
  to.stream_at = has_stream ? narrow(packet.stream.bytes - text.bytes) : std::uint16_t{0};
  to.stream_size = has_stream ? narrow(packet.stream.size) : std::uint16_t{0};
  to.carried = narrow(packet.carried);
  to.ahead = narrow(packet.ahead);
  to.stream = has_stream ? packet.has_whole_stream ? late_stream::whole : late_stream::part : late_stream::none;
}

// Gives the payload to the CPU, with the bytes of its stream.
HOST_DEVICE inline void leave_to_cpu(trial const& of, inspect::compiled_rule const& rule) {
  auto const text = searched_text(of.packet);
  if (text.size > late_packet::most) return add(of.tables.counts->unjudged_regexes, std::uint64_t{1});
  auto const ticket = of.tables.late.claim();
  if (ticket == 0) return;
  auto& to = of.tables.late.claimed(ticket);
  to.what = alert_by(of, rule, fate::goes_on);
  to.place = static_cast<std::uint32_t>(&rule - &of.set.rules.rule(0));
  copy_late_text(text, to);
  note_places(of.packet, text, to);
  of.tables.late.publish(ticket);
}

}  // namespace packetwarp::inspection_parts::detail
