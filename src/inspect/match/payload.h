// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inspect/language/rule.h"
#include "inspect/match/chain.h"
#include "inspect/match/inspected_packet.h"

namespace packetwarp::inspect {

namespace detail {

// The bytes that the rule's checks look at: the packet's payload, its stream, or the one and then the other.
[[nodiscard]] HOST_DEVICE inline bool looks_at_payload(compiled_rule const& rule, inspected_packet const& packet) {
  auto const use = static_cast<stream_use>(rule.stream);
  bool const is_for_payload = use == stream_use::packet || use == stream_use::both;
  return is_for_payload || !packet.is_in_stream || packet.differs_from_stream;
}
[[nodiscard]] HOST_DEVICE inline bool looks_at_stream(compiled_rule const& rule, inspected_packet const& packet) {
  auto const use = static_cast<stream_use>(rule.stream);
  if (use == stream_use::packet || !packet.is_in_stream) return false;
  // A place counts from the stream's begin.
  bool const has_more = packet.carried != 0 || packet.stream.size != packet.payload_size;
  return use != stream_use::both || (packet.has_whole_stream && has_more);
}
// The bytes that came before the packet are new for the rule. A message goes on over several segments, and each of its
// rules matches it once; a name comes with one packet; and what came before a connection was known as one of HTTP has
// not been compared with rules of this protocol.
[[nodiscard]] HOST_DEVICE inline bool looks_at_all_bytes(compiled_rule const& rule, inspected_packet const& packet) {
  bool const asks_name = rule.name_checks.count + rule.dotted_checks.count != 0;
  bool const is_for_http = static_cast<rule_protocol>(rule.protocol) == rule_protocol::http;
  return rule.http_buffers != 0 || (asks_name && packet.dotted_name_size != 0) || (is_for_http && packet.begins_http);
}
[[nodiscard]] HOST_DEVICE inline std::uint32_t carried_for(compiled_rule const& rule, inspected_packet const& packet) {
  return looks_at_all_bytes(rule, packet) ? 0 : packet.carried;
}
// The bytes of the stream that came before the packet and lie after it: rules that match these alone have done so.
[[nodiscard]] HOST_DEVICE inline text_view ahead_for(compiled_rule const& rule, inspected_packet const& packet) {
  if (packet.ahead == 0 || looks_at_all_bytes(rule, packet)) return {};
  return {packet.stream.bytes + (packet.stream.size - packet.ahead), packet.ahead};
}
// The stream up to these.
[[nodiscard]] HOST_DEVICE inline text_view stream_before_ahead(compiled_rule const& rule,
                                                               inspected_packet const& packet) {
  return {packet.stream.bytes, packet.stream.size - ahead_for(rule, packet).size};
}
[[nodiscard]] HOST_DEVICE inline bool is_kept_to_streams(compiled_rule const& rule, inspected_packet const& packet) {
  return static_cast<stream_use>(rule.stream) == stream_use::only_stream && !packet.is_in_stream;
}

template <class Regexes>
[[nodiscard]] HOST_DEVICE chain_result matches_bytes(ruleset_ref rules, compiled_rule const& rule,
                                                     inspected_packet const& packet, search_budget& budget,
                                                     Regexes&& regexes) {
  if (is_kept_to_streams(rule, packet)) return chain_result::no_match;
  if (rule.checks.count == 0) return chain_result::match;
  auto const& checks = rule.checks;
  if (looks_at_payload(rule, packet)) {
    auto const found = matches_chain(rules, checks, packet.payload, packet.payload_size, regexes, budget);
    if (found != chain_result::no_match) return found;
  }
  if (!looks_at_stream(rule, packet)) return chain_result::no_match;
  auto const carried = carried_for(rule, packet);
  auto const near = stream_before_ahead(rule, packet);
  auto const found = matches_chain(rules, checks, near.bytes, near.size, regexes, budget, carried);
  auto const ahead = ahead_for(rule, packet);
  if (found != chain_result::no_match || ahead.size == 0) return found;
  auto const in_all = matches_chain(rules, checks, packet.stream.bytes, packet.stream.size, regexes, budget, carried);
  if (in_all != chain_result::match) return in_all;
  auto const before = matches_chain(rules, checks, ahead.bytes, ahead.size, regexes, budget);
  return before == chain_result::match ? chain_result::no_match : in_all;
}

template <class Regexes>
[[nodiscard]] HOST_DEVICE chain_result matches_message(ruleset_ref rules, compiled_rule const& rule,
                                                       inspected_packet const& packet, search_budget& budget,
                                                       Regexes&& regexes) {
  auto const* parts = rules.at<compiled_buffer>(rules.header().buffers) + rule.buffers.offset;
  for (std::uint32_t i = 0; i < rule.buffers.count; ++i) {
    if (parts[i].needs_whole_body != 0 && !packet.http->has_whole_body) return chain_result::no_match;
    auto const& text = packet.http->buffers[parts[i].number];
    if (text.bytes == nullptr) {
      if (parts[i].matches_absence != 0) continue;
      return chain_result::no_match;
    }
    auto const found = matches_chain(rules, parts[i].checks, text.bytes, text.size, regexes, budget, of_buffer);
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
