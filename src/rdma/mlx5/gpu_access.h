// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rdma/bandwidth/poster.h"
#include "rdma/latency/ping.h"
#include "rdma/queue_pair.h"

namespace packetwarp::rdma {

// A GPU beside a ConnectX: memory that both reach, and the kernels that post. Tests put one of plain memory in its
// place. For one thread.
class gpu_access {
 public:
  gpu_access() = default;
  gpu_access(gpu_access const&) = delete;
  gpu_access& operator=(gpu_access const&) = delete;
  virtual ~gpu_access() = default;

  // The memory of queues, which GPU, NIC and CPU reach; of words that only the posting threads use; of payload.
  [[nodiscard]] virtual memory_kind queue_kind() const = 0;
  [[nodiscard]] virtual memory_kind cursor_kind() const = 0;
  [[nodiscard]] virtual memory_kind payload_kind() const = 0;
  [[nodiscard]] virtual int index() const = 0;

  // Maps a page of a NIC's registers, so that the GPU's threads store to it: the page's address for them. None if the
  // driver refuses it; `problem` then has the reason.
  [[nodiscard]] virtual std::byte* map_registers(std::byte* page, std::size_t bytes, std::string& problem) = 0;
  virtual void unmap_registers(std::byte* page) = 0;
  // A descriptor of payload memory for another device's driver (dma-buf), which the caller closes; -1 with the reason
  // in `problem`.
  [[nodiscard]] virtual int export_memory(std::byte* at, std::size_t bytes, std::string& problem) = 0;
  // Makes a NIC's writes into payload memory visible to copies.
  virtual void see_inbound_writes() = 0;
  // Whether a kernel that runs sees them without that.
  [[nodiscard]] virtual bool kernels_see_inbound_writes() const = 0;

  // The loops of rdma-bw and rdma-lat. Each throws failure.
  [[nodiscard]] virtual std::vector<post_times> post(std::span<posted_queue const> queues, post_loop const& loop) = 0;
  [[nodiscard]] virtual ping_times ping(ping_loop const& loop) = 0;
};

// A GPU of this machine, with kernels for up to so many queues. Throws usage_error: this machine has no such GPU, or
// this build has no GPU code; failure.
[[nodiscard]] std::unique_ptr<gpu_access> make_cuda_access(int gpu, std::size_t most_queues);

}  // namespace packetwarp::rdma
