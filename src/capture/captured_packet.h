// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/cycles.h"

namespace packetwarp {

// The point of its path at which a packet is captured.
enum class capture_stage : std::uint8_t {
  rx,       // as a pipeline has received it
  tx,       // as it is handed to the port by which it leaves
  dropped,  // with its bytes at that point, and the reason
  punted,   // as it is handed to the control plane, and the reason
  kernel    // as the control plane hands it to the kernel
};
inline constexpr std::array<std::string_view, 5> capture_stage_names{"rx", "tx", "dropped", "punted", "kernel"};
[[nodiscard]] constexpr std::string_view to_string(capture_stage stage) {
  return capture_stage_names[static_cast<std::size_t>(stage)];
}

// The facts of packets that are captured together.
struct capture_place {
  capture_stage stage{};
  std::uint16_t port{};    // position in the plan: the port where packets came in, for tx where they leave
  std::string_view why{};  // for dropped and punted packets; lives as long as the process
};

// The facts of one copy.
struct captured_packet {
  capture_place where;
  cycles when{};
  std::uint32_t length{};    // bytes of the packet
  std::uint32_t captured{};  // bytes of the packet in the copy
};

}  // namespace packetwarp
