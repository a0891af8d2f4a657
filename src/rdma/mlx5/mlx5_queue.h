// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "rdma/mlx5/mlx5_calls.h"
#include "rdma/mlx5/queue_memory.h"
#include "rdma/queue_pair.h"
#include "rdma/verbs/verbs_device.h"

namespace packetwarp::rdma {

// An mlx5 device whose queues lie in memory of this process.
struct mlx5_device {
  verbs_device const& verbs;
  mlx5_calls& calls;
  queue_memory const& memory;
};

struct mlx5_queue_settings {
  std::uint32_t entries{};  // a power of two from 2 to most_entries
  memory_kind cursors{memory_kind::host};
  int gpu{};
  // A doorbell register that no other queue has: stores of a GPU's blocks to one address need not all reach it.
  bool needs_own_register{};
};

// A queue pair of a ConnectX, of which queue_pair_ref writes the send queue, the doorbell record and the doorbell, and
// reads the completion queue. libibverbs only makes, connects and destroys it.
class mlx5_queue {
 public:
  // Throws failure in one line: the call that failed, or the property of the queue that packetwarp does not know.
  mlx5_queue(mlx5_device const& device, mlx5_queue_settings const& settings);

  // For a poster that reaches the register itself.
  [[nodiscard]] queue_parts const& parts() const { return parts_; }
  [[nodiscard]] ibv_qp& handle() const { return *queue_; }
  void end_waits() const { rdma::end_waits(cursors_); }
  // Why the queue shares a register, although it needs its own; empty if it does not.
  [[nodiscard]] std::string const& shares_because() const { return shares_because_; }

 private:
  void take_own_register(verbs_device const& device);
  void make(verbs_device const& device, std::uint32_t entries);
  void find_parts(mlx5_device const& device, std::uint32_t entries);

  thread_domain thread_domain_;
  protection_domain domain_;
  std::string shares_because_;
  completion_queue completions_;
  queue_handle queue_;
  placed_memory cursors_;
  queue_parts parts_{};
};

}  // namespace packetwarp::rdma
