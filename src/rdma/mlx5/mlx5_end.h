// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rdma/mlx5/doorbell_proxy.h"
#include "rdma/mlx5/gpu_access.h"
#include "rdma/mlx5/mlx5_calls.h"
#include "rdma/mlx5/mlx5_queue.h"
#include "rdma/mlx5/payload_memory.h"
#include "rdma/mlx5/queue_memory.h"
#include "rdma/mlx5/register_pages.h"
#include "rdma/network/endpoint.h"
#include "rdma/network/wait_limit.h"
#include "rdma/network/wait_watch.h"
#include "rdma/verbs/verbs_device.h"

namespace packetwarp::rdma {

// The libraries and the GPU of an mlx5 endpoint.
struct mlx5_machine {
  std::shared_ptr<verbs_calls> verbs;
  std::shared_ptr<mlx5_calls> mlx5;
  // Called if a GPU posts or has the payload, once the device is known to serve.
  std::function<std::unique_ptr<gpu_access>()> make_gpu;
  patience limit{completion_wait};  // the least limit of one wait for completions
};

// The endpoint that make_mlx5_endpoint() makes. A GPU rings doorbells itself if its driver maps the registers, and each
// queue has a register of its own; otherwise a CPU thread does (doorbell_proxy), and properties() has the reason.
class mlx5_end final : public endpoint {
 public:
  mlx5_end(endpoint_settings const& settings, verbs_settings const& on, mlx5_machine machine);
  ~mlx5_end() override;
  mlx5_end(mlx5_end const&) = delete;
  mlx5_end& operator=(mlx5_end const&) = delete;

  [[nodiscard]] std::uint32_t mtu() const override { return device_->mtu(); }
  [[nodiscard]] std::vector<queue_key> keys() const override;
  void connect(std::span<queue_key const> peers, std::uint32_t mtu) override;
  [[nodiscard]] std::vector<post_times> post(post_loop const& loop) override;
  [[nodiscard]] work_status write_first(std::uint32_t bytes) override;
  [[nodiscard]] work_status await_first() override;
  [[nodiscard]] work_status look_at_first() override;
  [[nodiscard]] std::optional<ping_times> ping(std::uint32_t bytes, std::uint32_t iterations, ping_side side) override;
  void write_source(std::uint32_t queue, std::size_t offset, std::span<std::byte const> bytes) override {
    source_->bytes().write(std::size_t{queue} * settings_.area + offset, bytes);
  }
  [[nodiscard]] std::span<std::byte> target(std::uint32_t queue) override {
    return {target_->bytes().data() + std::size_t{queue} * settings_.area, settings_.area};
  }
  void read_target(std::uint32_t queue, std::span<std::byte> into) override;
  void stop() override;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> properties() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> counters() const override;

 private:
  void open(verbs_settings const& on);
  [[nodiscard]] std::optional<payload_memory> make_payload(unsigned access);
  void make_queues();
  // Gives posting threads the doorbells that they reach.
  void choose_doorbells();
  [[nodiscard]] bool map_doorbells();
  void start_proxy();
  // Throws failure if a wait was too long because a queue has failed without a completion.
  void explain_silence(std::span<post_times const> times) const;
  [[nodiscard]] posted_queue posted(std::uint32_t queue) const;

  endpoint_settings settings_;
  mlx5_machine machine_;
  std::unique_ptr<gpu_access> gpu_;
  std::optional<queue_memory> memory_;
  std::optional<verbs_device> device_;
  std::optional<payload_memory> source_;
  std::optional<payload_memory> target_;
  std::vector<mlx5_queue> queues_;
  std::vector<queue_parts> parts_;  // as the poster reaches them
  std::vector<memory_place> remote_;
  std::optional<register_pages> pages_;
  placed_memory words_;  // of the proxy
  std::optional<doorbell_proxy> proxy_;
  std::string proxy_because_;
  reservation last_{};               // of write_first()
  std::optional<wait_watch> watch_;  // ends before the queues do
};

}  // namespace packetwarp::rdma
