// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "memory/packet_pool.h"
#include "memory/placement.h"

namespace packetwarp {

// The pools of a port's packets: one pool for all its RX queues or one for each, and perhaps a pool of payloads, for
// the bytes after a packet's first ones (split_header_bytes).
class rx_pools {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a pool is what most ports need
  rx_pools(packet_pool const& shared, packet_pool const* payloads = nullptr,
           std::uint16_t first_bytes = split_header_bytes)
      : of_{&shared}, payloads_{payloads}, first_bytes_{first_bytes} {}
  explicit rx_pools(std::vector<packet_pool const*> of_queues) : of_{std::move(of_queues)} {}

  [[nodiscard]] packet_pool const& of(std::uint16_t queue) const { return *of_[queue < of_.size() ? queue : 0]; }
  [[nodiscard]] packet_pool const* payloads() const { return payloads_; }
  [[nodiscard]] std::uint16_t first_bytes() const { return first_bytes_; }

 private:
  std::vector<packet_pool const*> of_;
  packet_pool const* payloads_{};
  std::uint16_t first_bytes_{split_header_bytes};
};

}  // namespace packetwarp
