// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/hook.h"

// The stage that docs/design.md writes step by step. The page quotes the lines between the marks; `make lint` compares
// the two.
namespace packetwarp {

// quote: stage
// Drops frames longer than a limit, and leaves all others to the stages after it.
struct size_limit {
  struct ref {
    std::uint32_t longest;  // bytes of a frame, without FCS
  };

  static constexpr std::string_view name = "size_limit";
  static constexpr std::array<std::string_view, 1> drop_names{"too_long"};
  static constexpr std::uint16_t too_long = 0;  // position in drop_names

  // The length is known without a look at the packet's bytes, so every packet stays near.
  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view) { return true; }

  [[nodiscard]] HOST_DEVICE static bool passes(packet_view packet, ref const& tables) {
    return packet.length <= tables.longest;
  }
  // passes() has read no byte of the packet: the compiler is told nothing.
  HOST_DEVICE static void assume_passes(packet_view) {}
  [[nodiscard]] HOST_DEVICE static verdict ingress(packet_view packet, ref const& tables) {
    return passes(packet, tables) ? next_hook() : verdict::drop(function_drop(too_long));
  }
};
static_assert(has_ingress<size_limit> && std::is_trivially_copyable_v<size_limit::ref>);
// quote: end

}  // namespace packetwarp
