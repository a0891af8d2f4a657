// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "base/host_device.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/language/rule.h"
#include "inspect/match/inspected_packet.h"
#include "inspect/packet/flowbits.h"

// Flowbits that no rule names: what rules have done to a flow. They begin and end with the flowbits of rules, so a
// reload forgets them.
namespace packetwarp::inspect {

// Whether a rule of action pass that has matched the packet passes the rest of its flow, too: as in Suricata one for
// addresses and ports alone, for a stream, or for messages of an application.
[[nodiscard]] HOST_DEVICE constexpr bool passes_flow(compiled_rule const& rule,
                                                     inspected_packet const& packet) noexcept {
  auto const protocol = static_cast<rule_protocol>(rule.protocol);
  bool const is_of_application = protocol == rule_protocol::http || protocol == rule_protocol::dns ||
                                 protocol == rule_protocol::tls || rule.http_buffers != 0 ||
                                 rule.name_checks.count + rule.dotted_checks.count != 0;
  if (is_of_application || static_cast<rule_scope>(rule.scope) != rule_scope::packets) return true;
  return packet.is_in_stream && static_cast<stream_use>(rule.stream) != stream_use::packet;
}

namespace detail {

// Sets the bit; whether it was set before.
HOST_DEVICE inline bool set_mark(ruleset_ref rules, flow_mark which, std::uint64_t* bits) {
  auto const number = rules.header().flow_marks + static_cast<std::uint32_t>(which);
  auto const mask = std::uint64_t{1} << (number % 64);
  return (flowbit_word{bits[number / 64]}.fetch_or(mask, cuda::memory_order_relaxed) & mask) != 0;
}

}  // namespace detail

// A rule of action pass has matched the packet. bits: the flow's; null without one.
HOST_DEVICE inline void note_pass(ruleset_ref rules, compiled_rule const& rule, inspected_packet const& packet,
                                  std::uint64_t* bits) {
  if (bits != nullptr && passes_flow(rule, packet)) detail::set_mark(rules, flow_mark::passed, bits);
}

// Whether a rule has passed the rest of the flow with these bits.
[[nodiscard]] HOST_DEVICE inline bool is_flow_passed(ruleset_ref rules, std::uint64_t* bits) {
  auto const first = rules.header().flow_marks;
  if (bits == nullptr || first == no_flow_marks) return false;
  auto const number = first + static_cast<std::uint32_t>(flow_mark::passed);
  return (flowbit_word{bits[number / 64]}.load(cuda::memory_order_relaxed) >> (number % 64) & 1) != 0;
}

// Whether a rule that has matched the packet alerts, as far as its scope goes: with the first packet of each direction,
// or with the first one since a reload. Called once per match.
[[nodiscard]] HOST_DEVICE inline bool alerts_in_scope(ruleset_ref rules, compiled_rule const& rule,
                                                      inspected_packet const& packet, std::uint64_t* bits) {
  if (bits == nullptr || static_cast<rule_scope>(rule.scope) != rule_scope::first_alerts) return true;
  auto const way = packet.is_to_server ? flow_mark::alerted_to_server : flow_mark::alerted_to_client;
  bool const has_alerted = detail::set_mark(rules, way, bits);
  return packet.begins_direction || !has_alerted;
}

}  // namespace packetwarp::inspect
