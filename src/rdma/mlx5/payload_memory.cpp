// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/mlx5/payload_memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace packetwarp::rdma {

std::string_view to_string(registration way) {
  switch (way) {
    case registration::host:
      return "host memory";
    case registration::dma_buf:
      return "GPU memory by dma-buf";
    case registration::peer_memory:
      return "GPU memory by nvidia-peermem";
  }
  return "unknown";
}

payload_memory::payload_memory(verbs_device const& device, gpu_access const* gpu, std::size_t bytes, unsigned access)
    : memory_{gpu != nullptr ? gpu->queue_kind() : memory_kind::host, gpu != nullptr ? gpu->index() : 0, bytes},
      region_{device.register_memory(memory_.data(), bytes, access)} {}

payload_memory::payload_memory(in_gpu /*where*/, verbs_device const& device, gpu_access& gpu, std::size_t bytes,
                               unsigned access)
    : memory_{gpu.payload_kind(), gpu.index(), bytes} {
  auto& calls = device.calls();
  std::string problem;
  if (auto const descriptor = gpu.export_memory(memory_.data(), bytes, problem); descriptor >= 0) {
    region_ = {calls.reg_dmabuf_mr(device.domain(), 0, bytes, address(), descriptor, access), {&calls}};
    auto const error = errno;
    ::close(descriptor);  // the region keeps the memory
    way_ = registration::dma_buf;
    if (region_) return;
    problem = fmt::format("ibv_reg_dmabuf_mr failed: {}", std::strerror(error));
  }
  region_ = {calls.reg_mr(device.domain(), memory_.data(), bytes, access), {&calls}};
  way_ = registration::peer_memory;
  if (region_) return;
  throw failure(fmt::format(
      "rdma: {} cannot reach the memory of GPU {}: by dma-buf, {}; by nvidia-peermem, ibv_reg_mr failed: {}: "
      "give --payload host, or see 'packetwarp doctor --only rdma'",
      device.name(), gpu.index(), problem, std::strerror(errno)));
}

}  // namespace packetwarp::rdma
