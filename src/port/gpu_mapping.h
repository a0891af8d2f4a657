// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "base/ids.h"

struct rte_device;

namespace packetwarp {

// Ends a device's access to memory.
struct unmap_memory {
  rte_device* device{};
  std::size_t bytes{};
  void operator()(std::byte* data) const;
};

// GPU memory that a port's device may read and write by DMA (GPUDirect RDMA). Not yet tried with such a device: see
// docs/placement.md.
class gpu_mapping {
 public:
  gpu_mapping() = default;
  // For memory that its pool has announced. label: of the port. Throws failure that names the GPU, the port and the
  // missing ability.
  gpu_mapping(port_id port, std::string_view label, int gpu, std::span<std::byte> data);

 private:
  std::unique_ptr<std::byte, unmap_memory> data_;
};

}  // namespace packetwarp
