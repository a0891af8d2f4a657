// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/language/rule.h"
#include "inspect/match/groups.h"
#include "inspect/match/inspected_packet.h"
#include "inspect/match/payload.h"

// The texts of a packet that rules look at, where a packet is judged by lanes.
namespace packetwarp::inspection_parts {

// The class of a packet that is judged alone: rules that look at HTTP are for packets that begin a message.
[[nodiscard]] HOST_DEVICE inline std::uint32_t class_alone(inspect::inspected_packet const& packet) {
  auto const chance = packet.http == nullptr ? inspect::http_chance::none : inspect::http_chance::some;
  return inspect::packet_class(packet.kind, inspect::way_of(packet), chance);
}

// The bytes in which literals of rules are found: the payload, with its stream if both are in one piece.
[[nodiscard]] HOST_DEVICE inline inspect::text_view searched_text(inspect::inspected_packet const& packet) {
  auto const* begin = packet.payload;
  auto const* end = packet.payload + packet.payload_size;
  if (packet.is_in_stream && !packet.differs_from_stream) {
    auto const* const end_of_stream = packet.stream.bytes + packet.stream.size;
    if (packet.stream.bytes < begin) begin = packet.stream.bytes;
    if (end_of_stream > end) end = end_of_stream;
  }
  return {begin, static_cast<std::uint32_t>(end - begin)};
}

// Other texts in which they are found: the name that the packet asks for, because a name in a payload has lengths
// between its labels; the stream, if the payload differs from it; and the forms of a head that differ from the bytes
// sent.
inline constexpr std::uint32_t other_texts = 7;
[[nodiscard]] HOST_DEVICE inline inspect::text_view other_text(inspect::inspected_packet const& packet,
                                                               std::uint32_t n) {
  using enum inspect::rule_buffer;
  if (n == 0) return {packet.dotted_name, packet.dotted_name_size};
  if (n == 1) return packet.differs_from_stream ? packet.stream : inspect::text_view{};
  if (packet.http == nullptr) return {};
  switch (n) {
    case 2:
      return packet.http->buffer(http_uri);
    case 3:
      return packet.http->buffer(http_host_dotted);
    case 4:
      return packet.http->buffer(http_header_names);
    case 5:
      return packet.http->buffer(http_cookie);
    default:
      return packet.http->is_header_as_sent ? inspect::text_view{} : packet.http->buffer(http_header);
  }
}

// Whether the packet has one of them.
[[nodiscard]] HOST_DEVICE inline bool has_other_text(inspect::inspected_packet const& packet) {
  return packet.dotted_name_size != 0 || packet.differs_from_stream || packet.http != nullptr;
}

namespace detail {

// A text that a rule looks at, and its checks of it.
struct checked_text {
  inspect::section checks;
  std::byte const* bytes;
  std::uint32_t size;
  std::uint32_t carried;  // bytes at the begin that have been looked at before
};

// The texts in their order: the payload; the stream up to the bytes that came before the packet and lie after it, with
// these, and these alone; the name that the packet asks for, without a dot before it and with one; then the buffers of
// HTTP that the rule looks at.
namespace text_number {
inline constexpr std::uint32_t payload = 0;
inline constexpr std::uint32_t before_ahead = 1;
inline constexpr std::uint32_t stream = 2;
inline constexpr std::uint32_t ahead = 3;
inline constexpr std::uint32_t name = 4;
inline constexpr std::uint32_t dotted_name = 5;
inline constexpr std::uint32_t buffers = 6;
inline constexpr std::uint32_t none = ~std::uint32_t{0};
}  // namespace text_number

// A buffer that need not be there, and is not, has no checks.
[[nodiscard]] HOST_DEVICE inline checked_text buffer_of(inspect::ruleset_ref rules,
                                                        inspect::inspected_packet const& packet,
                                                        inspect::compiled_rule const& rule, std::uint32_t n) {
  auto const* const parts = rules.at<inspect::compiled_buffer>(rules.header().buffers) + rule.buffers.offset;
  auto const& part = parts[n];
  auto const& text = packet.http->buffers[part.number];
  bool const is_left_out = text.bytes == nullptr && part.matches_absence != 0;
  return {is_left_out ? inspect::section{} : part.checks, text.bytes, text.size, inspect::of_buffer};
}

[[nodiscard]] HOST_DEVICE inline checked_text text_of(inspect::ruleset_ref rules,
                                                      inspect::inspected_packet const& packet,
                                                      inspect::compiled_rule const& rule, std::uint32_t n) {
  if (n >= text_number::buffers) return buffer_of(rules, packet, rule, n - text_number::buffers);
  if (n == text_number::payload) return {rule.checks, packet.payload, packet.payload_size, 0};
  if (n == text_number::before_ahead || n == text_number::stream) {
    auto const near = inspect::detail::stream_before_ahead(rule, packet);
    auto const size = n == text_number::stream ? packet.stream.size : near.size;
    return {rule.checks, near.bytes, size, inspect::detail::carried_for(rule, packet)};
  }
  if (n == text_number::ahead) {
    auto const text = inspect::detail::ahead_for(rule, packet);
    return {rule.checks, text.bytes, text.size, 0};
  }
  if (n == text_number::dotted_name) return {rule.dotted_checks, packet.dotted_name, packet.dotted_name_size, 0};
  auto const dot = packet.dotted_name_size == 0 ? 0U : 1U;
  return {rule.name_checks, packet.dotted_name + dot, packet.dotted_name_size - dot, 0};
}

// open: the text matches up to an expression on which the CPU decides.
enum class text_match : std::uint8_t { no, yes, open };

// The first text that the rule looks at, and the one after the n-th; none: the rule does not match. As
// inspect::detail::matches_bytes().
[[nodiscard]] HOST_DEVICE inline std::uint32_t first_text(inspect::compiled_rule const& rule,
                                                          inspect::inspected_packet const& packet) {
  if (inspect::detail::is_kept_to_streams(rule, packet)) return text_number::none;
  if (rule.checks.count == 0) return text_number::name;
  if (inspect::detail::looks_at_payload(rule, packet)) return text_number::payload;
  return inspect::detail::looks_at_stream(rule, packet) ? text_number::before_ahead : text_number::none;
}
[[nodiscard]] HOST_DEVICE inline std::uint32_t next_text(inspect::compiled_rule const& rule,
                                                         inspect::inspected_packet const& packet, std::uint32_t n,
                                                         text_match found) {
  bool const has_matched = found != text_match::no;
  switch (n) {
    case text_number::payload:
      if (has_matched) return text_number::name;
      return inspect::detail::looks_at_stream(rule, packet) ? text_number::before_ahead : text_number::none;
    case text_number::before_ahead:
      if (has_matched) return text_number::name;
      return inspect::detail::ahead_for(rule, packet).size != 0 ? text_number::stream : text_number::none;
    case text_number::stream:
      return has_matched ? text_number::ahead : text_number::none;
    case text_number::ahead:
      return found == text_match::yes ? text_number::none : text_number::name;
    default:
      return has_matched ? n + 1 : text_number::none;
  }
}

}  // namespace detail

}  // namespace packetwarp::inspection_parts
