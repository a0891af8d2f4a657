// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gpu/gpu.h"
#include "rdma/bandwidth/gpu_poster.h"
#include "rdma/latency/gpu_pinger.h"
#include "rdma/network/endpoint.h"
#include "rdma/network/wait_watch.h"
#include "rdma/queue_pair.h"
#include "rdma/region_table.h"

namespace packetwarp::rdma {

// An end with the queues of queue_pair.h: a CPU thread posts to them, or a kernel. A derived class has the targets, and
// executes the writes. Calls that wait throw failure once no completion will come (wait_watch).
class queue_endpoint : public endpoint {
 public:
  [[nodiscard]] std::vector<post_times> post(post_loop const& loop) override;
  [[nodiscard]] work_status write_first(std::uint32_t bytes) override;
  [[nodiscard]] work_status await_first() override;
  [[nodiscard]] work_status look_at_first() override;
  [[nodiscard]] std::optional<ping_times> ping(std::uint32_t bytes, std::uint32_t iterations, ping_side side) override;
  void write_source(std::uint32_t queue, std::size_t offset, std::span<std::byte const> bytes) override {
    source_.write(std::size_t{queue} * settings_.area + offset, bytes);
  }

 protected:
  queue_endpoint(endpoint_settings const& settings, memory_kind source);
  // Lets peers write to the targets.
  void expose(std::span<std::byte> targets);
  // Makes queues with numbers from `first` on, and, if a GPU posts, its end of them. Throws usage_error, failure.
  void make_queues(std::uint32_t first, memory_kind queue);
  // Called before each post.
  virtual void begin_posting() {}
  void end_waits() const {
    for (auto const& queue : queues_) queue.end_waits();
  }

  endpoint_settings settings_;
  placed_memory source_;
  region_table regions_;
  memory_place local_{};    // the sources
  memory_place exposed_{};  // the targets
  std::vector<queue_pair> queues_;
  std::vector<memory_place> remote_;  // of the peer, set when the end is connected, as the watch is
  std::optional<wait_watch> watch_;   // ended by stop(), before all that it asks

 private:
  [[nodiscard]] posted_queue posted(std::uint32_t queue) const {
    return {queues_[queue].parts(), local_ + std::uint64_t{queue} * settings_.area, remote_[queue]};
  }

  std::unique_ptr<gpu_poster> gpu_poster_;  // if a GPU posts, as the next one
  std::unique_ptr<gpu_pinger> gpu_pinger_;
  reservation last_{};  // of write_first()
};

}  // namespace packetwarp::rdma
