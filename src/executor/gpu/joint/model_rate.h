// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace packetwarp {

// Frames that lie one after another.
struct sample_frames {
  std::span<std::byte const> bytes;
  std::uint32_t stride;  // from one to the next: a multiple of 16
  std::uint32_t length;  // bytes of each
};

// Packets per second as warps of a GPU judge them, group by group: a packet's headers, the state of its flow and hosts,
// its row, and the scores of the group. The median of five launches. The frames come in turn, out of the GPU's memory,
// to as many warps as executor persistent has on a multiprocessor; ports, rings and PCIe have no part. network: the
// bytes of an integer_network with its features at their places in feature::names, which a warp evaluates
// (why_not_by_group). Throws usage_error if the GPU does not open, failure if the work fails.
[[nodiscard]] double measure_packets_on_gpu(int gpu, std::span<std::byte const> network, sample_frames const& frames);

}  // namespace packetwarp
