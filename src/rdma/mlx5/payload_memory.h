// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "rdma/mlx5/gpu_access.h"
#include "rdma/queue_pair.h"
#include "rdma/verbs/verbs_device.h"

namespace packetwarp::rdma {

// The way in which a device got to know memory.
enum class registration : std::uint8_t { host, dma_buf, peer_memory };
[[nodiscard]] std::string_view to_string(registration way);

// Memory of sources or targets, registered with a device.
class payload_memory {
 public:
  // Host memory, which is pinned if a GPU is given.
  payload_memory(verbs_device const& device, gpu_access const* gpu, std::size_t bytes, unsigned access);
  // A GPU's memory: by dma-buf, or else by nvidia-peermem. Throws failure in one line with both reasons.
  struct in_gpu {};
  payload_memory(in_gpu where, verbs_device const& device, gpu_access& gpu, std::size_t bytes, unsigned access);

  [[nodiscard]] placed_memory const& bytes() const { return memory_; }
  [[nodiscard]] std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(memory_.data()); }
  [[nodiscard]] std::uint32_t lkey() const { return region_->lkey; }
  [[nodiscard]] std::uint32_t rkey() const { return region_->rkey; }
  [[nodiscard]] registration way() const { return way_; }

 private:
  placed_memory memory_;
  memory_region region_;
  registration way_{registration::host};
};

}  // namespace packetwarp::rdma
