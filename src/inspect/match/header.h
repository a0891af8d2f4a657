// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/language/rule.h"
#include "inspect/match/inspected_packet.h"
#include "inspect/match/number.h"

namespace packetwarp::inspect {

// The rules without a literal that look at messages of this kind: places, ascending.
[[nodiscard]] HOST_DEVICE inline section const& unfiltered_for(ruleset_header const& header, http_kind kind) {
  return header.unfiltered_http[kind == http_kind::request ? 0 : 1];
}

namespace detail {

// The last of ascending ranges that does not begin after the value; `begins_after(i)` says so of range i. -1: none.
template <class BeginsAfter>
[[nodiscard]] HOST_DEVICE std::int64_t last_range(std::uint32_t count, BeginsAfter&& begins_after) {
  std::uint32_t low = 0;
  std::uint32_t high = count;
  while (low < high) {
    auto const middle = low + (high - low) / 2;
    if (begins_after(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return std::int64_t{low} - 1;
}

[[nodiscard]] HOST_DEVICE constexpr bool is_less(std::uint64_t a_high, std::uint64_t a_low, std::uint64_t b_high,
                                                 std::uint64_t b_low) noexcept {
  return a_high != b_high ? a_high < b_high : a_low < b_low;
}

[[nodiscard]] HOST_DEVICE inline bool has_address(ruleset_ref rules, std::uint32_t group, std::uint8_t ip_version,
                                                  wire::ipv6_address const& address) {
  auto const& parts = rules.at<address_group>(rules.header().addresses)[group];
  if (ip_version == 4) {
    auto const* ranges = rules.at<range32>(rules.header().ranges_ipv4) + parts.ipv4.offset;
    auto const number = static_cast<std::uint32_t>(address.low);
    auto const at = last_range(parts.ipv4.count, [&](std::uint32_t i) { return ranges[i].first > number; });
    return at >= 0 && ranges[at].last >= number;
  }
  auto const* ranges = rules.at<range128>(rules.header().ranges_ipv6) + parts.ipv6.offset;
  auto const at = last_range(parts.ipv6.count, [&](std::uint32_t i) {
    return is_less(address.high, address.low, ranges[i].first_high, ranges[i].first_low);
  });
  return at >= 0 && !is_less(ranges[at].last_high, ranges[at].last_low, address.high, address.low);
}

[[nodiscard]] HOST_DEVICE inline bool has_port(ruleset_ref rules, std::uint32_t group, std::uint16_t port) {
  auto const& part = rules.at<section>(rules.header().ports)[group];
  auto const* ranges = rules.at<range16>(rules.header().port_ranges) + part.offset;
  auto const at = last_range(part.count, [&](std::uint32_t i) { return ranges[i].first > port; });
  return at >= 0 && ranges[at].last >= port;
}

// A packet of TCP or UDP whose header is not sound has the ports 0, and a fragment has none.
[[nodiscard]] HOST_DEVICE constexpr bool has_ports(inspected_packet const& packet) noexcept {
  return (packet.kind == packet_kind::tcp || packet.kind == packet_kind::udp) && !packet.is_fragment;
}

[[nodiscard]] HOST_DEVICE inline bool has_endpoints(ruleset_ref rules, compiled_rule const& rule,
                                                    inspected_packet const& packet) {
  auto const joins = [&](std::uint32_t from, std::uint32_t from_port, std::uint32_t to, std::uint32_t to_port) {
    if (has_ports(packet) &&
        !(has_port(rules, from_port, packet.source_port) && has_port(rules, to_port, packet.destination_port))) {
      return false;
    }
    return has_address(rules, from, packet.ip_version, packet.source) &&
           has_address(rules, to, packet.ip_version, packet.destination);
  };
  return joins(rule.source, rule.source_port, rule.destination, rule.destination_port) ||
         (static_cast<endpoint_check>(rule.endpoints) == endpoint_check::either_way &&
          joins(rule.destination, rule.destination_port, rule.source, rule.source_port));
}

[[nodiscard]] HOST_DEVICE constexpr bool has_protocol(compiled_rule const& rule,
                                                      inspected_packet const& packet) noexcept {
  if (rule.ip_version != 0 && rule.ip_version != packet.ip_version) return false;
  switch (static_cast<rule_protocol>(rule.protocol)) {
    case rule_protocol::ip:
      return true;
    case rule_protocol::tcp:
      return packet.kind == packet_kind::tcp;
    case rule_protocol::udp:
      return packet.kind == packet_kind::udp;
    case rule_protocol::icmp:
      return packet.kind == packet_kind::icmp;
    case rule_protocol::dns:
      return packet.is_dns;
    case rule_protocol::tls: {
      // A name is in a client's first message alone.
      bool const asks_name = rule.name_checks.count + rule.dotted_checks.count != 0;
      return packet.kind == packet_kind::tcp && (asks_name || packet.is_tls);
    }
    case rule_protocol::http:
      return packet.is_http;
    default:
      return false;
  }
}

// The buffers that the rule looks at are known, as far as the message goes.
[[nodiscard]] HOST_DEVICE constexpr bool has_message(compiled_rule const& rule,
                                                     inspected_packet const& packet) noexcept {
  if (rule.http_buffers == 0) return true;
  if (packet.http == nullptr || (rule.http_buffers & ~packet.http->known) != 0) return false;
  return (rule.messages & static_cast<std::uint8_t>(packet.http->kind)) != 0;
}

[[nodiscard]] HOST_DEVICE constexpr bool has_flow_state(compiled_rule const& rule,
                                                        inspected_packet const& packet) noexcept {
  auto const direction = static_cast<direction_need>(rule.direction);
  auto const connection = static_cast<connection_need>(rule.connection);
  auto const fragment = static_cast<fragment_need>(rule.fragment);
  // As Suricata asks: a fragment has no flow.
  if (fragment == fragment_need::only_fragment && !packet.came_in_fragments) return false;
  if (fragment == fragment_need::no_fragment && (packet.came_in_fragments || !packet.has_flow)) return false;
  bool const is_once = static_cast<rule_scope>(rule.scope) == rule_scope::directions;
  if (is_once && packet.has_flow && !packet.begins_direction) return false;
  if (direction == direction_need::any && connection == connection_need::any) return true;
  if (!packet.has_flow) return false;
  if (direction != direction_need::any && (direction == direction_need::to_server) != packet.is_to_server) return false;
  return connection == connection_need::any || (connection == connection_need::established) == packet.is_established;
}

[[nodiscard]] HOST_DEVICE constexpr bool has_flags(compiled_test const& test, std::uint8_t seen) noexcept {
  std::uint32_t const flags = seen & ~std::uint32_t{test.ignored};
  auto const relation = static_cast<flags_relation>(test.relation);
  if (test.value == 0 && seen != 0) return relation == flags_relation::not_all;
  switch (relation) {
    case flags_relation::exactly:
      return flags == test.value;
    case flags_relation::all:
      return (flags & test.value) == test.value;
    case flags_relation::any:
      return (flags & test.value) != 0;
    case flags_relation::not_all:
      return (flags & test.value) != test.value;
  }
  return false;
}

[[nodiscard]] HOST_DEVICE constexpr bool passes(compiled_test const& test, inspected_packet const& packet) noexcept {
  switch (test.kind) {
    case test_kind::payload_size:
      return has_number(test.relation, test.value, test.upper, packet.payload_length);
    case test_kind::ttl:
      return has_number(test.relation, test.value, test.upper, packet.ttl);
    case test_kind::icmp_type:
      return packet.kind == packet_kind::icmp && packet.has_transport &&
             has_number(test.relation, test.value, test.upper, packet.icmp_type);
    case test_kind::icmp_code:
      return packet.kind == packet_kind::icmp && packet.has_transport &&
             has_number(test.relation, test.value, test.upper, packet.icmp_code);
    case test_kind::tcp_flags:
      return packet.kind == packet_kind::tcp && packet.has_transport && has_flags(test, packet.tcp_flags);
  }
  return false;
}

// has_endpoints(): whether the packet has the rule's addresses and ports.
template <class HasEndpoints>
[[nodiscard]] HOST_DEVICE bool matches_header(ruleset_ref rules, compiled_rule const& rule,
                                              inspected_packet const& packet, HasEndpoints&& has_endpoints) {
  if (!has_protocol(rule, packet) || !has_message(rule, packet)) return false;
  if (!has_flow_state(rule, packet)) return false;
  if (rule.names_ports != 0 && !has_ports(packet)) return false;
  if (!has_endpoints()) return false;
  auto const* tests = rules.at<compiled_test>(rules.header().tests) + rule.tests.offset;
  for (std::uint32_t i = 0; i < rule.tests.count; ++i) {
    if (!passes(tests[i], packet)) return false;
  }
  return true;
}

}  // namespace detail

// All of the rule but its payload and flowbits. With the packet's rows (groups.h) it takes less time.
[[nodiscard]] HOST_DEVICE inline bool matches_header(ruleset_ref rules, compiled_rule const& rule,
                                                     inspected_packet const& packet) {
  return detail::matches_header(rules, rule, packet, [&] { return detail::has_endpoints(rules, rule, packet); });
}

}  // namespace packetwarp::inspect
