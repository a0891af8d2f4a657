// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/graph.h"

#include <cuda/atomic>
#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "executor/gpu/joint/take.h"
#include "gpu/cuda_check.h"

namespace packetwarp {
namespace {

// The value that measured best (docs/performance/gpu.md): launches are so rare that they cost the CPU next to nothing.
constexpr std::uint32_t rounds_per_launch = 8;

constexpr auto making = "making a graph";

}  // namespace

graph_executor::graph_executor(burst_ring& ring, gpu_program program, gpu_settings const& settings,
                               std::unique_ptr<executor> fallback)
    : cuda_executor{ring, program, settings, std::move(fallback)},
      states_{settings.gpu.index, settings.blocks * sizeof(stint_state)},
      begun_{settings.gpu.index, sizeof(std::uint64_t)},
      own_{program, settings, shared(), reinterpret_cast<std::uint64_t*>(begun_.bytes().data())},
      graph_{[this](cudaGraph_t graph) { own_.is_there() ? add_rounds(graph) : add_stint(graph); }} {}

void graph_executor::add_stint(cudaGraph_t graph) {
  auto offload = shared();
  stint_ref stint{.states = reinterpret_cast<stint_state*>(states_.data()),
                  .begun = reinterpret_cast<std::uint64_t*>(begun_.bytes().data()),
                  .bursts = std::uint64_t{rounds_per_launch} * (offload.mask + 1)};
  std::array<void*, 3> arguments{&offload, &stint, program().tables.data()};
  auto const threads = program().stint_threads;
  cudaGraphNodeParams node{};
  node.type = cudaGraphNodeTypeKernel;
  node.kernel.func = const_cast<void*>(program().stint);
  node.kernel.gridDim = dim3{settings().blocks};
  node.kernel.blockDim = dim3{threads};
  node.kernel.sharedMemBytes = static_cast<unsigned>(shared_bytes_of(program().stint, threads));
  node.kernel.kernelParams = arguments.data();
  cudaGraphNode_t made{};
#if CUDART_VERSION >= 13000
  require_cuda(cudaGraphAddNode(&made, graph, nullptr, nullptr, 0, &node), making);
#else
  require_cuda(cudaGraphAddNode(&made, graph, nullptr, 0, &node), making);
#endif
}

// No conditional nodes: loops side by side break a driver (docs/performance/gpu.md).
void graph_executor::add_rounds(cudaGraph_t graph) {
  auto const bytes = shared_bytes_of(program().own.finish, kernel_threads);
  capture_into(graph, stream(), [this, bytes] {
    auto result = cudaSuccess;
    for (std::uint32_t round = 0; round < rounds_per_launch && result == cudaSuccess; ++round) {
      result = launch_take_batch(stream(), shared(), own_.batch(), round);
      if (result == cudaSuccess) result = own_.launch(stream(), program(), bytes);
    }
    return result;
  });
}

void graph_executor::start() {
  use_gpu();
  require_cuda(cudaGraphUpload(graph_.get(), stream()), "bringing a graph to the GPU");
}

bool graph_executor::offer() {
  if (describe_ready(std::numeric_limits<std::uint32_t>::max()) != 0) tell(described() | stalled_);
  // A single launch that waits for the running one to end is enough.
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

// The bursts of a failed GPU have been dropped: their packets have other owners by now, and the GPU must not touch
// them.
void graph_executor::ask_to_end() {
  if (has_failed()) stall();
  tell(described() | stalled_ | offload_control::stop);
}

std::string graph_executor::what() const { return fmt::format("GPU {}, graph", settings().gpu.index); }

}  // namespace packetwarp
