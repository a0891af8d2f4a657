// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/gpu_mapping.h"

#include <fmt/format.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <unistd.h>

#include "base/error.h"
#include "base/units.h"

namespace packetwarp {
namespace {

// DPDK's drivers let the kernel's RDMA stack map GPU memory, which this module makes known to it.
[[nodiscard]] bool has_peer_memory() {
  return ::access("/sys/module/nvidia_peermem", F_OK) == 0 || ::access("/sys/module/nv_peer_mem", F_OK) == 0;
}

}  // namespace

gpu_mapping::gpu_mapping(port_id port, std::string_view label, int gpu, std::span<std::byte> data) {
  rte_eth_dev_info info{};
  int const known = rte_eth_dev_info_get(port.value(), &info);
  // No IO address is needed: the device's driver looks memory up by its own address.
  if (known == 0 && info.device != nullptr &&
      rte_dev_dma_map(info.device, data.data(), reinterpret_cast<std::uintptr_t>(data.data()), data.size()) == 0) {
    data_ = {data.data(), unmap_memory{info.device, data.size()}};
    return;
  }
  auto const why = rte_strerror(rte_errno);
  auto const remedy = has_peer_memory() ? "are both below one PCIe root (nvidia-smi topo -m), is the IOMMU off?"
                                        : "nvidia-peermem is missing: modprobe nvidia-peermem (docs/hardware/gpu.md)";
  throw failure(fmt::format("{}: it cannot map {} of GPU {}'s memory for its DMA: {}; {}, or use -m host", label,
                            format_size(data.size()), gpu, why, remedy));
}

void unmap_memory::operator()(std::byte* data) const {
  (void)rte_dev_dma_unmap(device, data, reinterpret_cast<std::uintptr_t>(data), bytes);
}

}  // namespace packetwarp
