// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"

namespace packetwarp {

// An interface of the router: its position in the router's list, and the egress by which its packets leave.
enum class interface_index : std::uint16_t {};
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t number_of(interface_index interface) {
  return static_cast<std::uint32_t>(interface);
}

}  // namespace packetwarp
