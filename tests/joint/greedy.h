// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "base/host_device.h"
#include "function/function.h"

namespace packetwarp::test {

// A joint stage whose rooms no GPU has: four of them are more than a block may have of shared memory.
struct greedy {
  struct ref {};
  struct room {
    std::byte bytes[100'000];
  };
  using annotation = std::uint8_t;

  static constexpr std::string_view name = "greedy";
  static constexpr std::array<std::string_view, 1> drop_names{"unused"};
  static constexpr bool follows_from_header = false;

  HOST_DEVICE static void gather(packet_view, unsigned, ref const&, room&) {}
  HOST_DEVICE static void work(auto const&, ref const&, room&) {}
  [[nodiscard]] HOST_DEVICE static annotation annotation_of(unsigned, room const&) { return 0; }
  [[nodiscard]] HOST_DEVICE static verdict process(packet_view, ref const&, annotation) {
    return verdict::forward(egress_index{0});
  }
};
static_assert(packet_function<greedy>);

}  // namespace packetwarp::test
