// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "rdma/bandwidth/gpu_poster.h"
#include "rdma/latency/ping.h"

namespace packetwarp::rdma {

struct pair_latency_settings {
  int gpu{};
  int target_gpu{};  // may be the same
  put_way way{put_way::store};
  std::uint32_t largest{};                 // bytes of a write
  std::uint64_t limit_ns{10'000'000'000};  // of one wait
};

// The latency of a write and a signal from one GPU to another and back: a kernel on each writes into the memory of the
// other, by an engine of its own GPU or by its own stores.
class pair_latency {
 public:
  // Opens the GPUs. Throws usage_error for GPUs that are not there or do not reach each other, failure.
  explicit pair_latency(pair_latency_settings const& settings);
  pair_latency(pair_latency const&) = delete;
  pair_latency& operator=(pair_latency const&) = delete;
  ~pair_latency();

  // Runs both ends, of up to gpu_pinger::most_iterations, and then checks every byte of both targets and the bytes
  // after them. The times are those of the end on `gpu`. Throws failure: a queue's error, a signal that did not come, a
  // wrong byte.
  [[nodiscard]] ping_times run(std::uint32_t bytes, std::uint32_t iterations);
  [[nodiscard]] std::uint64_t checked_bytes() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace packetwarp::rdma
