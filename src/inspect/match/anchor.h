// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "inspect/compiled/prefilter.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/match/inspected_packet.h"

namespace packetwarp::inspect {

namespace detail {

// Whether a text has the rule's anchor, in any case.
[[nodiscard]] HOST_DEVICE inline bool has_anchor(compiled_rule const& rule, text_view text) {
  constexpr std::uint32_t whole = sizeof rule.anchor;
  if (text.size <= rule.anchor_at) return false;
  auto const left = text.size - rule.anchor_at;
  auto const* const from = text.bytes + rule.anchor_at;
  std::uint32_t bytes = 0;
  if (left >= whole) {
    bytes = load_first(from);
  } else {
    for (std::uint32_t i = 0; i < left; ++i) bytes |= static_cast<std::uint32_t>(from[i]) << (8 * i);
    bytes = static_cast<std::uint32_t>(folded(bytes));
  }
  return (bytes & rule.anchor_mask) == rule.anchor;
}

}  // namespace detail

// Whether the packet has the rule's bytes with one possible place, if it has any: most rules without a window have.
// False: the rule's checks would fail, too.
[[nodiscard]] HOST_DEVICE inline bool may_match_at_anchor(compiled_rule const& rule, inspected_packet const& packet) {
  if (rule.anchor_mask == 0) return true;
  return detail::has_anchor(rule, {packet.payload, packet.payload_size}) ||
         (packet.is_in_stream && detail::has_anchor(rule, packet.stream));
}

}  // namespace packetwarp::inspect
