// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

struct rte_eth_dev_info;

namespace packetwarp {

// How a port's driver touches packet bytes, and thus whether packets may lie in GPU memory.
enum class packet_access : std::uint8_t {
  host_only,  // the CPU copies them, or a device that only reaches host memory
  rdma,       // a device that reads and writes GPU memory, once that is mapped for it (GPUDirect RDMA)
  none        // nothing: packets pass as pointers
};

// The access of a port's driver, by the driver's traits and its device's arguments.
[[nodiscard]] packet_access access_of(rte_eth_dev_info const& info);

}  // namespace packetwarp
