// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/hook.h"

namespace packetwarp {

// A stage that looks at no packet and leaves all of them to the stages after it.
struct nothing {
  struct ref {};

  static constexpr std::string_view name = "nothing";
  static constexpr std::array<std::string_view, 0> drop_names{};

  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view) { return true; }
  [[nodiscard]] HOST_DEVICE static bool passes(packet_view, ref const&) { return true; }
  HOST_DEVICE static void assume_passes(packet_view) {}
  [[nodiscard]] HOST_DEVICE static verdict ingress(packet_view, ref const&) { return next_hook(); }
};
static_assert(has_ingress<nothing> && std::is_trivially_copyable_v<nothing::ref>);

}  // namespace packetwarp
