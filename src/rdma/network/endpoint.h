// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rdma/bandwidth/poster.h"
#include "rdma/latency/ping.h"
#include "rdma/network/queue_key.h"
#include "rdma/queue_pair.h"

namespace packetwarp::rdma {

// How an endpoint's queues are made and connected.
struct endpoint_settings {
  std::uint32_t queues{1};
  std::uint32_t posts{512};        // writes that a queue holds at a time
  std::uint32_t area{4096};        // bytes of a queue's source, and of its target
  std::uint32_t mtu{};             // of a packet's payload; 0: the largest that fits the port
  std::uint32_t timeout_code{14};  // 4.096 us x 2^code, without an answer
  std::uint32_t retries{7};
  initiator posting{initiator::cpu};
  memory_kind payload{memory_kind::host};  // of the sources: host or device
  memory_kind target{memory_kind::host};   // of the targets, with engine `roce`: host or device
  memory_kind frames{memory_kind::host};   // of a port's, with payload or target in a GPU's memory: host or device
  int gpu{};                               // of an initiator that is a kernel, and of sources
};

// An end of reliable connections to a peer's queues: packetwarp's own over a DPDK port or in shared memory, or a
// device's. Each queue has a source and a target of `area` bytes, page-aligned. For one thread.
class endpoint {
 public:
  endpoint() = default;
  endpoint(endpoint const&) = delete;
  endpoint& operator=(endpoint const&) = delete;
  virtual ~endpoint() = default;

  // The path MTU that it can have: a power of two from 256 to 4,096.
  [[nodiscard]] virtual std::uint32_t mtu() const = 0;
  // The keys of its queues and targets, for the peer.
  [[nodiscard]] virtual std::vector<queue_key> keys() const = 0;
  // Connects queue i to the peer's queue i. Throws failure.
  virtual void connect(std::span<queue_key const> peers, std::uint32_t mtu) = 0;

  // Runs the loop on all queues; writes go from the source to the peer's target.
  [[nodiscard]] virtual std::vector<post_times> post(post_loop const& loop) = 0;
  // Posts a write of the first bytes of queue 0's source, and awaits the completion of the one before it.
  [[nodiscard]] virtual work_status write_first(std::uint32_t bytes) = 0;
  // Awaits the completion of the last of those, if there is one.
  [[nodiscard]] virtual work_status await_first() = 0;
  // The status of those writes, as far as it is known without a wait: done until one has failed. A CPU posts them.
  [[nodiscard]] virtual work_status look_at_first() = 0;
  // The loop of ib_write_lat on queue 0 by a kernel; empty if a CPU posts, which is then the caller.
  [[nodiscard]] virtual std::optional<ping_times> ping([[maybe_unused]] std::uint32_t bytes,
                                                       [[maybe_unused]] std::uint32_t iterations,
                                                       [[maybe_unused]] ping_side side) {
    return {};
  }

  // Writes to a queue's source, from its beginning plus `offset` on.
  virtual void write_source(std::uint32_t queue, std::size_t offset, std::span<std::byte const> bytes) = 0;
  // A queue's target. If `payload` is a GPU's memory, an mlx5 endpoint's target is, too, and the CPU cannot read it.
  [[nodiscard]] virtual std::span<std::byte> target(std::uint32_t queue) = 0;
  // Copies a target's first bytes, wherever they are.
  virtual void read_target(std::uint32_t queue, std::span<std::byte> into) {
    std::ranges::copy(target(queue).first(into.size()), into.begin());
  }
  // Ends all traffic.
  virtual void stop() = 0;
  // Properties of the connection, for the report: names and texts.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> properties() const { return {}; }
  // Names and values, after stop().
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::uint64_t>> counters() const = 0;
};

}  // namespace packetwarp::rdma
