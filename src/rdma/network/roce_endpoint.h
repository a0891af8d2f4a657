// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gpu/gpu.h"
#include "rdma/network/gpu_frames.h"
#include "rdma/network/roce_port.h"
#include "rdma/queue_endpoint.h"
#include "rdma/roce/gpu/gpu_requesters.h"
#include "rdma/roce/gpu/gpu_responders.h"
#include "rdma/roce/roce_engine.h"

namespace packetwarp::rdma {

// packetwarp's own end: the queues of queue_pair.h, engine `roce`, and a DPDK port. If a GPU posts, queues and sources
// lie in pinned host memory, which the GPU writes over PCIe and the engine's thread reads. If sources lie in a GPU's
// memory, the requesters are there, too, with the queues that it posts to; if targets do, the responders are.
class roce_endpoint : public queue_endpoint {
 public:
  // Throws usage_error, failure. The EAL has started.
  roce_endpoint(endpoint_settings const& settings, port_id on, wire::ipv4_address address);
  ~roce_endpoint() override;
  roce_endpoint(roce_endpoint const&) = delete;
  roce_endpoint& operator=(roce_endpoint const&) = delete;

  [[nodiscard]] std::uint32_t mtu() const override { return port_.mtu(); }
  [[nodiscard]] std::vector<queue_key> keys() const override;
  void connect(std::span<queue_key const> peers, std::uint32_t mtu) override;
  [[nodiscard]] std::span<std::byte> target(std::uint32_t queue) override { return area_of(target_, queue); }
  void read_target(std::uint32_t queue, std::span<std::byte> into) override {
    target_.read(std::size_t{queue} * settings_.area, into);
  }
  void stop() override;
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> counters() const override;

 private:
  [[nodiscard]] roce::request_source source_of(std::size_t queue);
  void make_requesters();
  void make_responders();
  // Watches over waits of a CPU: a kernel may end by itself.
  void watch_waits();
  [[nodiscard]] std::string trouble_of_kernels() const;
  [[nodiscard]] std::span<std::byte> area_of(placed_memory const& memory, std::uint32_t queue) const {
    return {memory.data() + std::size_t{queue} * settings_.area, settings_.area};
  }

  std::uint32_t first_psn_;
  std::uint32_t first_number_;
  placed_memory target_;
  std::vector<roce::connection_settings> connections_;
  std::unique_ptr<roce::roce_engine> engine_;
  std::unique_ptr<roce::gpu_requesters> requesters_;
  std::unique_ptr<roce::gpu_responders> responders_;
  std::optional<gpu_frames> frames_;
  std::optional<gpu_requests> requests_;
  roce_port port_;                                  // its thread ends before the engine does
  std::vector<memory_registration> pinned_frames_;  // of the port's pool
};

}  // namespace packetwarp::rdma
