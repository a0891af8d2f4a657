// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/graph.h"

#include <cuda/atomic>
#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "memory/cuda_check.h"

namespace packetwarp {
namespace {

constexpr unsigned threads_per_block = 1024;

// What measured best (docs/performance/gpu.md): launches are so rare that they cost the CPU nothing to speak of.
constexpr std::uint32_t rounds_per_launch = 8;

}  // namespace

cuda_graph::cuda_graph(cudaKernelNodeParams const& kernel) {
  constexpr auto step = "making a graph";
  cudaGraph_t graph{};
  require_cuda(cudaGraphCreate(&graph, 0), step);
  cudaGraphNode_t node{};
  auto error = cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel);
  if (error == cudaSuccess) error = cudaGraphInstantiate(&ready_, graph);
  (void)cudaGraphDestroy(graph);
  require_cuda(error, step);
}
cuda_graph::cuda_graph(cuda_graph&& other) noexcept : ready_{std::exchange(other.ready_, nullptr)} {}
cuda_graph& cuda_graph::operator=(cuda_graph&& other) noexcept {
  std::swap(ready_, other.ready_);
  return *this;
}
cuda_graph::~cuda_graph() {
  if (ready_ != nullptr) (void)cudaGraphExecDestroy(ready_);
}

graph_executor::graph_executor(burst_ring& ring, gpu_program program, gpu_settings const& settings,
                               std::unique_ptr<executor> fallback)
    : cuda_executor{ring, program, settings, std::move(fallback)},
      states_{settings.gpu.index, settings.blocks * sizeof(stint_state)},
      begun_{settings.gpu.index, sizeof(std::uint64_t)} {
  auto offload = shared();
  stint_ref stint{.states = reinterpret_cast<stint_state*>(states_.data()),
                  .begun = reinterpret_cast<std::uint64_t*>(begun_.bytes().data()),
                  .bursts = std::uint64_t{rounds_per_launch} * ring.slots()};
  std::array<void*, 3> arguments{&offload, &stint, program.tables.data()};
  cudaKernelNodeParams kernel{};
  kernel.func = const_cast<void*>(program.stint);
  kernel.gridDim = dim3{settings.blocks};
  kernel.blockDim = dim3{threads_per_block};
  kernel.sharedMemBytes = static_cast<unsigned>(shared_bytes_of(program.stint, threads_per_block));
  kernel.kernelParams = arguments.data();
  graph_ = cuda_graph{kernel};
}

void graph_executor::start() {
  use_gpu();
  require_cuda(cudaGraphUpload(graph_.get(), stream()), "bringing a graph to the GPU");
}

bool graph_executor::offer() {
  if (describe_ready(std::numeric_limits<std::uint32_t>::max()) != 0) tell(described() | stalled_);
  // One that waits behind the one that runs is enough.
  if (described() == finished() || launched_ != begun()) return true;
  use_gpu();
  ++launched_;
  return went_well(cudaGraphLaunch(graph_.get(), stream()));
}

std::uint64_t graph_executor::begun() const {
  auto& word = *reinterpret_cast<std::uint64_t*>(begun_.bytes().data());
  return cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{word}.load(cuda::memory_order_relaxed);
}

void graph_executor::stall() { stalled_ = offload_control::stall; }

void graph_executor::resume() {
  stalled_ = 0;
  tell(described());
}

void graph_executor::forget() {
  stall();
  tell(described() | stalled_ | offload_control::stop);
}

// What a failed GPU had has been dropped: its packets are others' by now, and it must not touch them.
void graph_executor::ask_to_end() {
  if (has_failed()) stall();
  tell(described() | stalled_ | offload_control::stop);
}

std::string graph_executor::what() const { return fmt::format("GPU {}, graph", settings().gpu.index); }

}  // namespace packetwarp
