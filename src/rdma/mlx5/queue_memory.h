// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <string>

#include "rdma/mlx5/mlx5_calls.h"
#include "rdma/queue_pair.h"

namespace packetwarp::rdma {

// The memory in which libmlx5 makes send queues, completion queues and doorbell records: this process's own, so that
// it can be pinned for a GPU. It outlives the device's context, which gives its memory back at last.
class queue_memory {
 public:
  queue_memory(memory_kind kind, int gpu) : kind_{kind}, gpu_{gpu} {}
  queue_memory(queue_memory const&) = delete;
  queue_memory& operator=(queue_memory const&) = delete;

  // For mlx5_calls::set_allocators. They throw nothing: without memory they return none, and problem() has the reason.
  [[nodiscard]] mlx5dv_ctx_allocators allocators();
  // Whether [at, at + bytes) lies in one piece of it.
  [[nodiscard]] bool has(void const* at, std::size_t bytes) const;
  [[nodiscard]] std::size_t pieces() const { return pieces_.size(); }
  [[nodiscard]] std::string const& problem() const { return problem_; }

 private:
  [[nodiscard]] void* allocate(std::size_t bytes);
  void free(void const* at);

  memory_kind kind_;
  int gpu_;
  std::list<placed_memory> pieces_;
  std::string problem_;
};

}  // namespace packetwarp::rdma
