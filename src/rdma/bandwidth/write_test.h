// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/peer_access.h"
#include "rdma/bandwidth/gpu_poster.h"
#include "rdma/bandwidth/poster.h"
#include "rdma/engine/engine_counters.h"
#include "rdma/engine/gpu_engine.h"
#include "rdma/engine/host_engine.h"
#include "rdma/queue_pair.h"
#include "rdma/region_table.h"

namespace packetwarp::rdma {

// The mover of the bytes: an engine, or the posting threads themselves.
enum class transport : std::uint8_t { host, gpu, store };

struct write_test_settings {
  std::uint32_t queues{1};
  std::uint32_t posts{512};
  std::uint32_t largest{4096};  // bytes of a write
  initiator posting{initiator::cpu};
  transport engine{transport::host};
  int gpu{};
  std::optional<int> target_gpu{};         // the GPU that has the target, with gpu and store; none: the same
  std::uint64_t limit_ns{10'000'000'000};  // of one wait for completions
};

// The result of a size. Rates are per second, times are means per iteration and queue in ns.
struct write_test_result {
  std::uint32_t bytes{};
  std::uint32_t iterations{};
  double peak_bytes{};     // the sum of the queues' shortest iterations
  double average_bytes{};  // all bytes in all of the time
  double messages{};
  double post_ns{};
  double commit_ns{};  // 0 without a queue
  double flush_ns{};
  std::uint64_t checked_bytes{};  // of the target
};

// The result of all queues' times. Throws failure if a queue failed.
[[nodiscard]] write_test_result summarize(std::vector<post_times> const& all, std::uint32_t bytes, std::uint32_t posts);

// The bandwidth of RDMA writes from one region to another through queues and an engine. With a GPU as initiator or
// engine, memory lies where both reach it: payload where the engine runs, queues in the GPU if both are there,
// otherwise in pinned host memory. The target may lie in a second GPU, which the engine's GPU reaches.
class write_test {
 public:
  // Throws usage_error for settings that are not possible, failure.
  explicit write_test(write_test_settings const& settings);

  // Writes, and then checks every byte of the target and the bytes after it. Throws failure: an error of a queue, a
  // wrong byte.
  [[nodiscard]] write_test_result run(std::uint32_t bytes, std::uint32_t iterations);
  // Ends the engine. Afterwards run() must not be called. Without an engine: the writes and bytes that were stored.
  [[nodiscard]] engine_counters stop();

 private:
  [[nodiscard]] std::vector<posted_queue> posted_queues(std::uint32_t bytes) const;
  void fill(std::uint64_t bytes, std::uint64_t seed) const;
  void check(std::uint64_t bytes, std::uint64_t seed, std::uint32_t of_write) const;

  [[nodiscard]] bool has_queues() const { return settings_.engine != transport::store; }
  [[nodiscard]] bool has_second_gpu() const { return target_gpu() != settings_.gpu; }
  [[nodiscard]] int target_gpu() const { return settings_.target_gpu.value_or(settings_.gpu); }
  void open_gpus();
  void start_engine();
  [[nodiscard]] post_loop loop_of(std::uint32_t bytes, std::uint32_t iterations) const;

  write_test_settings settings_;
  peer_access peer_;  // outlives the target
  placed_memory source_;
  placed_memory target_;
  std::vector<queue_pair> queues_;
  region_table regions_;
  std::uint32_t lkey_{};
  std::uint32_t rkey_{};
  std::uint64_t runs_{};
  std::unique_ptr<gpu_poster> gpu_poster_;
  std::unique_ptr<host_engine> host_engine_;
  std::unique_ptr<gpu_engine> gpu_engine_;
  engine_counters stored_;  // without an engine
};

}  // namespace packetwarp::rdma
