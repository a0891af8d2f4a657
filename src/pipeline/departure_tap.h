// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "capture/packet_capture.h"

namespace packetwarp {

// The point at which a TX job's packets are captured, and their labels.
struct departure_tap {
  capture_tap tap{};
  std::uint16_t ingress{};                // position of its RX port among the plan's
  std::vector<std::uint16_t> egresses{};  // the same for its egresses

  // n: position of an egress.
  void show_leaving(std::size_t n, std::span<rte_mbuf*> packets) const {
    if (auto* const capture = tap.active()) [[unlikely]]
      capture->take({capture_stage::tx, egresses[n], {}}, packets);
  }
};

}  // namespace packetwarp
