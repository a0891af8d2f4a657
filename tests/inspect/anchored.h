// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "inspect/compiled/compile.h"
#include "inspect/match/anchor.h"

namespace packetwarp::inspect {

// Whether the first rule may match this payload by its anchor. The payload has memory of its own, so that a read beyond
// it is seen.
[[nodiscard]] inline bool may_match(ruleset const& compiled, std::string_view payload) {
  auto const* const begin = reinterpret_cast<std::byte const*>(payload.data());
  std::vector<std::byte> const bytes{begin, begin + payload.size()};
  inspected_packet packet;
  packet.payload = bytes.data();
  packet.payload_size = static_cast<std::uint32_t>(bytes.size());
  return may_match_at_anchor(compiled.ref().rule(0), packet);
}

}  // namespace packetwarp::inspect
