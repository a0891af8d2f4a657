// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "gpu/gpu.h"
#include "rdma/engine/host_engine.h"
#include "rdma/queue_endpoint.h"
#include "rdma/shm/peer_link.h"
#include "rdma/shm/shared_memory.h"

namespace packetwarp::rdma {

// An end whose peer is another process of this machine: each maps the other's targets. A CPU posts, or a kernel; engine
// `host`, a thread of the poster's process, executes the writes with the peer's addresses and rkeys. A peer that ends
// takes nothing from this end but the connection.
class shm_endpoint : public queue_endpoint {
 public:
  // The settings `queues`, `posts`, `area`, `posting` and `gpu` are used; the GPU of a kernel that posts is open.
  // Throws usage_error, failure.
  explicit shm_endpoint(endpoint_settings const& settings);
  ~shm_endpoint() override;
  shm_endpoint(shm_endpoint const&) = delete;
  shm_endpoint& operator=(shm_endpoint const&) = delete;

  // No packet has it; the largest is told, so that the exchange leaves the choice to the peer.
  [[nodiscard]] std::uint32_t mtu() const override { return 4096; }
  [[nodiscard]] std::vector<queue_key> keys() const override;
  void connect(std::span<queue_key const> peers, std::uint32_t mtu) override;
  // It, post(), and the waits for writes throw failure if the peer has ended.
  [[nodiscard]] std::optional<ping_times> ping(std::uint32_t bytes, std::uint32_t iterations, ping_side side) override;
  [[nodiscard]] std::span<std::byte> target(std::uint32_t queue) override {
    return target_.bytes().subspan(std::size_t{queue} * settings_.area, settings_.area);
  }
  void stop() override;
  // The engine's; none of an end that has written nothing.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> counters() const override;

 private:
  [[nodiscard]] region own_target() const;
  // Starts the engine. An end that writes nothing has none, whose thread would poll.
  void begin_posting() override;

  shared_memory target_;
  memory_registration reached_;  // the target, by a kernel that waits for the peer's writes
  peer_link link_;
  peer_memory peer_;
  mapped_region mapped_{};
  std::optional<host_engine> engine_;  // ends before all memory does
};

}  // namespace packetwarp::rdma
