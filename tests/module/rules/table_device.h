// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "function/rules/rules_layout.h"

namespace packetwarp::test {

// Packets of the same room each, after the same headroom.
struct packet_array {
  std::vector<std::byte> bytes;
  std::vector<std::uint32_t> lengths;
  std::size_t stride{};
  std::size_t headroom{};
};

[[nodiscard]] bool has_gpu();
// Lets GPU 0 run rules on each packet, one thread per packet; returns their verdicts. `tables` are in its memory.
[[nodiscard]] std::vector<verdict> process_on_gpu(packet_array& packets, rules_ref const& tables);

}  // namespace packetwarp::test
