// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace packetwarp {

// A CUDA graph, ready to launch.
class cuda_graph {
 public:
  cuda_graph() = default;
  // Made from the nodes that `add` adds to an empty graph. Throws failure, and add's exceptions.
  explicit cuda_graph(std::function<void(cudaGraph_t)> const& add);
  cuda_graph(cuda_graph&& other) noexcept;
  cuda_graph& operator=(cuda_graph&& other) noexcept;
  ~cuda_graph();
  [[nodiscard]] cudaGraphExec_t get() const { return ready_; }

 private:
  cudaGraphExec_t ready_{};
};

// Adds what `launch` puts into a stream to a graph, one after the other; nothing runs. Throws failure with launch's
// error.
void capture_into(cudaGraph_t graph, cudaStream_t stream, std::function<cudaError_t()> const& launch);

}  // namespace packetwarp
