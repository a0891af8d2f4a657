// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "rdma/roce/frame_plan.h"

namespace packetwarp::rdma::roce {

// A frame to be made by the lanes of a warp: all that its headers say, and where it and its payload are.
inline constexpr std::uint32_t asks_flag = 0x8000'0000;  // with the PSN: the packet asks for an acknowledgement
struct alignas(64) frame_order {
  std::uint64_t at;  // of the frame
  std::uint64_t payload;
  std::uint64_t address;  // of RETH, as `length` and `rkey`
  std::uint32_t rkey;
  std::uint32_t length;
  std::uint32_t code_and_queue;  // 8 bits of opcode, 24 of the peer's queue number
  std::uint32_t asks_and_psn;    // asks_flag, 24 bits
  std::uint16_t bytes;           // of payload
  std::uint16_t port;
  wire::mac_address source_mac;
  wire::mac_address destination_mac;
  wire::ipv4_address source;
  wire::ipv4_address destination;
};
static_assert(std::is_trivially_copyable_v<frame_order> && sizeof(frame_order) == 64);

}  // namespace packetwarp::rdma::roce
