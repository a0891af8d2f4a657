// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/host_device.h"
#include "function/function.h"

namespace packetwarp::test {

// A function whose reference to its tables is the table: longer than a kernel takes by value. The first byte of a
// packet becomes what the table has for its second.
struct long_tables {
  struct ref {
    std::array<std::uint8_t, 256> values;
    std::array<std::byte, 40'000> unused;
    egress_index egress;  // after all of it
  };

  static constexpr std::string_view name = "long_tables";
  static constexpr std::array<std::string_view, 1> drop_names{"runt"};
  static constexpr bool follows_from_header = true;

  [[nodiscard]] HOST_DEVICE static verdict process(packet_view packet, ref const& tables) {
    if (packet.contiguous < 14) return verdict::drop(function_drop(0));
    packet.data[0] = static_cast<std::byte>(tables.values[static_cast<std::uint8_t>(packet.data[1])]);
    return verdict::forward(tables.egress);
  }
};
static_assert(packet_function<long_tables>);

}  // namespace packetwarp::test
