// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/joint/launch_if.h"

namespace packetwarp {
namespace device {

__global__ void set_condition(cudaGraphConditionalHandle condition, std::uint32_t const* word) {
  cudaGraphSetConditional(condition, *word != 0 ? 1 : 0);
}

}  // namespace device

namespace {

// The graph that a stream is captured into, and the nodes that its next one comes after.
struct capture {
  cudaStreamCaptureStatus status{};
  cudaGraph_t graph{};
  cudaGraphNode_t const* before{};
  std::size_t count{};
};

[[nodiscard]] cudaError_t read_capture(cudaStream_t stream, capture& into) {
#if CUDART_VERSION >= 13000
  // Kernels that follow one another at once have no data on their edge.
  return cudaStreamGetCaptureInfo(stream, &into.status, nullptr, &into.graph, &into.before, nullptr, &into.count);
#else
  return cudaStreamGetCaptureInfo_v2(stream, &into.status, nullptr, &into.graph, &into.before, &into.count);
#endif
}

[[nodiscard]] cudaError_t add_condition(cudaStream_t stream, capture const& at, cudaGraphConditionalHandle condition,
                                        cudaGraph_t& body) {
  cudaGraphNodeParams node{};
  node.type = cudaGraphNodeTypeConditional;
  node.conditional.handle = condition;
  node.conditional.type = cudaGraphCondTypeIf;
  node.conditional.size = 1;
  cudaGraphNode_t made{};
#if CUDART_VERSION >= 13000
  auto const added = cudaGraphAddNode(&made, at.graph, at.before, nullptr, at.count, &node);
#else
  auto const added = cudaGraphAddNode(&made, at.graph, at.before, at.count, &node);
#endif
  if (added != cudaSuccess) return added;
  body = node.conditional.phGraph_out[0];
#if CUDART_VERSION >= 13000
  return cudaStreamUpdateCaptureDependencies(stream, &made, nullptr, 1, cudaStreamSetCaptureDependencies);
#else
  return cudaStreamUpdateCaptureDependencies(stream, &made, 1, cudaStreamSetCaptureDependencies);
#endif
}

// A stream for a capture beside the one that is under way.
class stream_beside {
 public:
  stream_beside() : result_{make()} {}
  ~stream_beside() {
    if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
  }
  stream_beside(stream_beside const&) = delete;
  stream_beside& operator=(stream_beside const&) = delete;

  [[nodiscard]] cudaError_t result() const { return result_; }
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  // A stream is made by calls that a capture of this thread would forbid.
  [[nodiscard]] cudaError_t make() {
    auto mode = cudaStreamCaptureModeRelaxed;
    if (auto const result = cudaThreadExchangeStreamCaptureMode(&mode); result != cudaSuccess) return result;
    auto const made = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    auto const back = cudaThreadExchangeStreamCaptureMode(&mode);
    return made != cudaSuccess ? made : back;
  }

  cudaStream_t stream_{};
  cudaError_t result_;
};

[[nodiscard]] cudaError_t capture_body(cudaGraph_t body, std::function<cudaError_t(cudaStream_t)> const& add) {
  stream_beside const beside;
  if (beside.result() != cudaSuccess) return beside.result();
  auto const begun =
      cudaStreamBeginCaptureToGraph(beside.get(), body, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal);
  if (begun != cudaSuccess) return begun;
  auto const added = add(beside.get());
  cudaGraph_t whole{};
  auto const ended = cudaStreamEndCapture(beside.get(), &whole);
  return added != cudaSuccess ? added : ended;
}

}  // namespace

cudaError_t launch_if(cudaStream_t stream, std::uint32_t const* word,
                      std::function<cudaError_t(cudaStream_t)> const& add) {
  capture at;
  if (auto const result = read_capture(stream, at); result != cudaSuccess) return result;
  if (at.status == cudaStreamCaptureStatusNone) return add(stream);
  cudaGraphConditionalHandle condition{};
  auto result = cudaGraphConditionalHandleCreate(&condition, at.graph, 0, 0);
  if (result != cudaSuccess) return result;
  device::set_condition<<<1, 1, 0, stream>>>(condition, word);
  if (result = cudaGetLastError(); result != cudaSuccess) return result;
  if (result = read_capture(stream, at); result != cudaSuccess) return result;
  cudaGraph_t body{};
  if (result = add_condition(stream, at, condition, body); result != cudaSuccess) return result;
  return capture_body(body, add);
}

}  // namespace packetwarp
