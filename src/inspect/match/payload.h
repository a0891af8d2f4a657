// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inspect/match/chain.h"
#include "inspect/match/inspected_packet.h"

namespace packetwarp::inspect {

namespace detail {

// In the payload, in the stream, or in both, as the rule needs it.
template <class Regexes>
[[nodiscard]] HOST_DEVICE chain_result matches_bytes(ruleset_ref rules, compiled_rule const& rule,
                                                     inspected_packet const& packet, search_budget& budget,
                                                     Regexes&& regexes) {
  auto const use = static_cast<stream_use>(rule.stream);
  if (use == stream_use::only_stream && !packet.is_in_stream) return chain_result::no_match;
  if (rule.checks.count == 0) return chain_result::match;
  bool const is_for_payload =
      use == stream_use::packet || use == stream_use::both || !packet.is_in_stream || packet.differs_from_stream;
  if (is_for_payload) {
    auto const found = matches_chain(rules, rule.checks, packet.payload, packet.payload_size, regexes, budget);
    if (found != chain_result::no_match) return found;
  }
  if (use == stream_use::packet || !packet.is_in_stream) return chain_result::no_match;
  // A place counts from the stream's begin.
  if (use == stream_use::both && (!packet.has_whole_stream || packet.carried == 0)) return chain_result::no_match;
  // A message goes on over several segments, and each of its rules matches it once.
  auto const carried = rule.http_buffers == 0 ? packet.carried : 0;
  return matches_chain(rules, rule.checks, packet.stream.bytes, packet.stream.size, regexes, budget, carried);
}

template <class Regexes>
[[nodiscard]] HOST_DEVICE chain_result matches_message(ruleset_ref rules, compiled_rule const& rule,
                                                       inspected_packet const& packet, search_budget& budget,
                                                       Regexes&& regexes) {
  auto const* parts = rules.at<compiled_buffer>(rules.header().buffers) + rule.buffers.offset;
  for (std::uint32_t i = 0; i < rule.buffers.count; ++i) {
    auto const& text = packet.http->buffers[parts[i].number];
    if (text.size == 0) {
      if (parts[i].matches_absence != 0) continue;
      return chain_result::no_match;
    }
    auto const found = matches_chain(rules, parts[i].checks, text.bytes, text.size, regexes, budget);
    if (found != chain_result::match) return found;
  }
  return chain_result::match;
}

}  // namespace detail

// The checks of the rule on all that the packet brings: its payload or stream, the name that it asks for, and its
// message of HTTP. The rule's header matches: matches_header(). budget: of the packet.
template <class Regexes>
[[nodiscard]] HOST_DEVICE chain_result matches_payload(ruleset_ref rules, compiled_rule const& rule,
                                                       inspected_packet const& packet, search_budget& budget,
                                                       Regexes&& regexes) {
  auto found = detail::matches_bytes(rules, rule, packet, budget, regexes);
  if (found != chain_result::match) return found;
  auto const name_size = packet.dotted_name_size == 0 ? 0 : packet.dotted_name_size - 1;
  auto const* name = packet.dotted_name + (name_size == 0 ? 0 : 1);
  found = matches_chain(rules, rule.name_checks, name, name_size, regexes, budget);
  if (found != chain_result::match) return found;
  found = matches_chain(rules, rule.dotted_checks, packet.dotted_name, packet.dotted_name_size, regexes, budget);
  if (found != chain_result::match || rule.http_buffers == 0) return found;
  return detail::matches_message(rules, rule, packet, budget, regexes);
}

}  // namespace packetwarp::inspect
