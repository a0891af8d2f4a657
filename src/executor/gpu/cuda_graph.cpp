// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/cuda_graph.h"

#include <memory>
#include <utility>

#include "gpu/cuda_check.h"

namespace packetwarp {
namespace {

constexpr auto making = "making a graph";

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

void capture_into(cudaGraph_t graph, cudaStream_t stream, std::function<cudaError_t()> const& launch) {
  require_cuda(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal),
               making);
  auto const launched = launch();
  cudaGraph_t whole{};
  auto const ended = cudaStreamEndCapture(stream, &whole);
  require_cuda(launched, making);
  require_cuda(ended, making);
}

}  // namespace packetwarp
