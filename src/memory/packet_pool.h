// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mempool.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "gpu/gpu.h"

namespace packetwarp {

// The size of a packet pool. Plain numbers, so that a plan can print it before any memory is taken.
struct packet_pool_config {
  std::string name;
  std::uint32_t packets{};    // mbufs
  std::uint32_t data_room{};  // bytes of packet data in an mbuf, without the headroom before it
  std::uint32_t cache{};      // mbufs that each lcore keeps to itself, at most RTE_MEMPOOL_CACHE_MAX_SIZE
  int socket{-1};             // NUMA node of the host's part, -1 for any
  int gpu{-1};                // the GPU whose memory holds the packet data; -1: host memory does

  // Bytes of host memory for all parts: mbuf headers, and headroom and data unless a GPU holds them.
  [[nodiscard]] std::uint64_t bytes() const;
  // Bytes of GPU memory: headroom and data, 0 if they lie in host memory.
  [[nodiscard]] std::uint64_t gpu_bytes() const;
};

// Makes the EAL forget memory that was announced to it.
struct forget_memory {
  std::size_t bytes{};
  void operator()(std::byte* data) const;
};

// The packets' memory: an mbuf pool. Any lcore may allocate and free. With a GPU, mbufs are in host memory and their
// data is in GPU memory: no CPU may read or write a packet.
class packet_pool {
 public:
  // The config's GPU, if any, must have been opened. Throws failure with the amount of memory that is needed and a way
  // to have it.
  explicit packet_pool(packet_pool_config const& config);

  [[nodiscard]] rte_mempool& get() const { return *pool_; }
  // The packets' data in GPU memory; empty if host memory holds it.
  [[nodiscard]] std::span<std::byte> gpu_data() const { return {in_gpu_.data(), in_gpu_.size()}; }
  // Announces the pool's GPU memory to the EAL; without it no port could map the memory. Throws failure.
  void announce();
  // Leaves the GPU memory to the process: a kernel that nothing can end may still use it.
  void abandon() { in_gpu_.abandon(); }
  // Packets that no lcore, queue or port holds. Walks every cache: not for the data path.
  [[nodiscard]] std::uint32_t available() const;
  [[nodiscard]] packet_pool_config const& config() const { return config_; }

 private:
  struct free_pool {
    void operator()(rte_mempool* pool) const { rte_mempool_free(pool); }
  };
  packet_pool_config config_;
  device_memory in_gpu_;                             // outlives the pool, whose mbufs point to it
  std::unique_ptr<std::byte, forget_memory> known_;  // announced to the EAL
  std::unique_ptr<rte_mempool, free_pool> pool_;
};

}  // namespace packetwarp
