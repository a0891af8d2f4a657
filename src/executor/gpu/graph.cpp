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

// The threads of a block that the kernel is compiled for (__launch_bounds__).
[[nodiscard]] unsigned threads_of(void const* kernel) {
  cudaFuncAttributes found{};
  require_cuda(cudaFuncGetAttributes(&found, kernel), making);
  return static_cast<unsigned>(found.maxThreadsPerBlock);
}

// Adds a node that runs after another, or after no other.
cudaGraphNode_t add_node(cudaGraph_t graph, cudaGraphNode_t const* before, cudaGraphNodeParams& node) {
  cudaGraphNode_t made{};
  auto const count = before == nullptr ? 0U : 1U;
#if CUDART_VERSION >= 13000
  require_cuda(cudaGraphAddNode(&made, graph, before, nullptr, count, &node), making);
#else
  require_cuda(cudaGraphAddNode(&made, graph, before, count, &node), making);
#endif
  return made;
}

// Adds a node that runs its body while, or if, a condition holds. Returns the body.
[[nodiscard]] cudaGraph_t add_condition(cudaGraph_t graph, cudaGraphNode_t const* before,
                                        cudaGraphConditionalHandle condition, cudaGraphConditionalNodeType type) {
  cudaGraphNodeParams node{};
  node.type = cudaGraphNodeTypeConditional;
  node.conditional.handle = condition;
  node.conditional.type = type;
  node.conditional.size = 1;
  (void)add_node(graph, before, node);
  return node.conditional.phGraph_out[0];
}

struct graph_end {
  void operator()(cudaGraph_t graph) const { (void)cudaGraphDestroy(graph); }
};

}  // namespace

cuda_graph::cuda_graph(std::function<void(cudaGraph_t)> const& add) {
  cudaGraph_t graph{};
  require_cuda(cudaGraphCreate(&graph, 0), making);
  std::unique_ptr<CUgraph_st, graph_end> const owned{graph};
  add(graph);
  require_cuda(cudaGraphInstantiate(&ready_, graph), making);
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
      begun_{settings.gpu.index, sizeof(std::uint64_t)},
      own_{program, settings, shared(), reinterpret_cast<std::uint64_t*>(begun_.bytes().data()),
           std::uint64_t{rounds_per_launch} * ring.slots()},
      graph_{[this](cudaGraph_t graph) { own_.is_there() ? add_rounds(graph) : add_stint(graph); }} {}

void graph_executor::add_stint(cudaGraph_t graph) {
  auto offload = shared();
  stint_ref stint{.states = reinterpret_cast<stint_state*>(states_.data()),
                  .begun = reinterpret_cast<std::uint64_t*>(begun_.bytes().data()),
                  .bursts = std::uint64_t{rounds_per_launch} * (offload.mask + 1)};
  std::array<void*, 3> arguments{&offload, &stint, program().tables.data()};
  auto const threads = threads_of(program().stint);
  cudaGraphNodeParams node{};
  node.type = cudaGraphNodeTypeKernel;
  node.kernel.func = const_cast<void*>(program().stint);
  node.kernel.gridDim = dim3{settings().blocks};
  node.kernel.blockDim = dim3{threads};
  node.kernel.sharedMemBytes = static_cast<unsigned>(shared_bytes_of(program().stint, threads));
  node.kernel.kernelParams = arguments.data();
  (void)add_node(graph, nullptr, node);
}

void graph_executor::add_rounds(cudaGraph_t graph) {
  cudaGraphConditionalHandle another{};
  require_cuda(cudaGraphConditionalHandleCreate(&another, graph, 1, cudaGraphCondAssignDefault), making);
  auto* const round = add_condition(graph, nullptr, another, cudaGraphCondTypeWhile);
  cudaGraphConditionalHandle has_bursts{};
  require_cuda(cudaGraphConditionalHandleCreate(&has_bursts, round, 0, 0), making);

  auto offload = shared();
  auto batch = own_.batch();
  std::array<void*, 4> arguments{&offload, &batch, &another, &has_bursts};
  cudaGraphNodeParams take{};
  take.type = cudaGraphNodeTypeKernel;
  take.kernel.func = const_cast<void*>(take_batch_kernel());
  take.kernel.gridDim = dim3{1};
  take.kernel.blockDim = dim3{1};
  take.kernel.kernelParams = arguments.data();
  auto const taken = add_node(round, nullptr, take);
  add_batch(add_condition(round, &taken, has_bursts, cudaGraphCondTypeIf));
}

// Launches of a library in a stream become nodes.
void graph_executor::add_batch(cudaGraph_t graph) {
  auto const bytes = shared_bytes_of(program().own.finish, kernel_threads);
  require_cuda(cudaStreamBeginCaptureToGraph(stream(), graph, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal),
               making);
  auto const launched = own_.launch(stream(), program(), bytes);
  cudaGraph_t whole{};
  auto const ended = cudaStreamEndCapture(stream(), &whole);
  require_cuda(launched, making);
  require_cuda(ended, making);
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
