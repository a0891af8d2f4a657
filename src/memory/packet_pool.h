// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mempool.h>

#include <cstdint>
#include <memory>
#include <string>

namespace packetwarp {

// How big a packet pool is. Plain numbers, so that a plan can print it before any memory is taken.
struct packet_pool_config {
  std::string name;
  std::uint32_t packets{};    // mbufs
  std::uint32_t data_room{};  // bytes of packet data an mbuf holds, without the headroom before it
  std::uint32_t cache{};      // mbufs each lcore keeps to itself, at most RTE_MEMPOOL_CACHE_MAX_SIZE
  int socket{-1};             // NUMA node, -1 for any

  // Bytes of memory for all of it: mbuf headers, headroom and data.
  [[nodiscard]] std::uint64_t bytes() const;
};

// Packets' memory in host placement: an mbuf pool. Any lcore may allocate and free.
class packet_pool {
 public:
  // Throws failure, saying how much memory is needed and how to have it.
  explicit packet_pool(packet_pool_config const& config);

  [[nodiscard]] rte_mempool& get() const { return *pool_; }
  // Packets not in any lcore's, queue's or port's hands. Walks every cache: not for the data path.
  [[nodiscard]] std::uint32_t available() const;
  [[nodiscard]] packet_pool_config const& config() const { return config_; }

 private:
  struct free_pool {
    void operator()(rte_mempool* pool) const { rte_mempool_free(pool); }
  };
  packet_pool_config config_;
  std::unique_ptr<rte_mempool, free_pool> pool_;
};

}  // namespace packetwarp
