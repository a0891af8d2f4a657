// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/gpu/cuda_executor.h"
#include "executor/gpu/cuda_graph.h"
#include "executor/gpu/device/stint.h"
#include "executor/gpu/joint/own_work.h"

namespace packetwarp {

// Launches a graph for the next bursts, up to eight laps of their ring, and another while the first runs. The graph
// finds its bursts through memory as they are given, so every launch is the same, and may precede its bursts. Without
// bursts it ends: the GPU is idle while no traffic comes, and others can use it between launches.
class graph_executor final : public cuda_executor {
 public:
  graph_executor(burst_ring& ring, gpu_program program, gpu_settings const& settings,
                 std::unique_ptr<executor> fallback);
  void start() override;

 private:
  [[nodiscard]] bool offer() override;
  [[nodiscard]] std::string what() const override;
  void stall() override;
  void resume() override;
  void forget() override;
  void ask_to_end() override;
  // Stints whose kernels have begun.
  [[nodiscard]] std::uint64_t begun() const;

  // Adds a single kernel, which takes burst after burst.
  void add_stint(cudaGraph_t graph);
  // For a function with kernels of its own: adds rounds, one after the other, of a kernel that takes a batch of the
  // given bursts and the kernels of that batch.
  void add_rounds(cudaGraph_t graph);

  device_memory states_;
  pinned_memory begun_;
  own_work own_;
  cuda_graph graph_;
  std::uint64_t launched_{0};
  std::uint64_t stalled_{0};  // offload_control::stall once a stall was asked for
};

}  // namespace packetwarp
