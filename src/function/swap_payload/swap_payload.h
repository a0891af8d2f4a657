// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/forward/forward.h"
#include "function/function.h"

namespace packetwarp {

// l2fwd-nv's work on split packets: swaps the MAC addresses of the header, and the first six bytes of the payload with
// the next six. The payload begins after the first 60 bytes; one of fewer than twelve bytes stays unchanged. If packets
// are not split the same bytes are swapped.
struct swap_payload {
  using ref = forward::ref;

  static constexpr std::string_view name = "swap_payload";
  static constexpr auto drop_names = forward::drop_names;
  static constexpr bool follows_from_header = true;
  static constexpr frame_change change = frame_change::payload_swapped;
  static constexpr bool reaches_payload = true;
  static constexpr std::uint32_t swapped = 6;

  [[nodiscard]] HOST_DEVICE static verdict process(packet_view packet, ref const& tables) {
    auto const said = forward::process(packet, tables);
    if (said.what() != verdict::action::forward) return said;
    auto const payload = payload_of(packet);
    if (payload.contiguous < 2 * swapped) return said;
    for (std::uint32_t i = 0; i < swapped; ++i) {
      auto const byte = payload.data[i];
      payload.data[i] = payload.data[swapped + i];
      payload.data[swapped + i] = byte;
    }
    return said;
  }
};
static_assert(packet_function<swap_payload>);

}  // namespace packetwarp
