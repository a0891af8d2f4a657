// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include "memory/cuda_check.h"
#include "memory/gpu_driver.h"

namespace packetwarp {
namespace {

// Of a copy that goes through pinned memory piece by piece: large enough that the bus is busy, and soon done.
constexpr std::size_t room_bytes = std::size_t{1} << 20;

class cuda_driver final : public gpu_driver {
 public:
  explicit cuda_driver(int gpu) : gpu_{gpu}, room_{gpu, room_bytes} {
    require_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream for copies");
  }
  ~cuda_driver() override {
    if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
  }

  [[nodiscard]] std::byte* allocate(std::size_t bytes) override {
    device_memory made{gpu_, bytes};
    auto* const memory = made.data();
    made.abandon();
    return memory;
  }
  void free(std::byte* memory) override { (void)cudaFree(memory); }
  [[nodiscard]] memory_registration pin(std::span<std::byte> memory) override {
    return memory_registration{gpu_, memory.data(), memory.size()};
  }

  [[nodiscard]] std::span<std::byte> room() override { return room_.bytes(); }
  [[nodiscard]] bool begin(course way, std::byte* in_gpu, std::size_t bytes) override {
    auto* const here = room_.bytes().data();
    auto error = cudaSetDevice(gpu_);
    if (error == cudaSuccess) {
      error = way == course::to_gpu ? cudaMemcpyAsync(in_gpu, here, bytes, cudaMemcpyHostToDevice, stream_)
                                    : cudaMemcpyAsync(here, in_gpu, bytes, cudaMemcpyDeviceToHost, stream_);
    }
    error_ = error;
    return error == cudaSuccess;
  }
  [[nodiscard]] state look() override {
    error_ = cudaStreamQuery(stream_);
    if (error_ == cudaErrorNotReady) return state::under_way;
    return error_ == cudaSuccess ? state::done : state::failed;
  }
  [[nodiscard]] std::string error() const override { return to_string(error_); }

  void abandon() override {
    room_.abandon();
    stream_ = nullptr;
  }

 private:
  int gpu_;
  pinned_memory room_;
  cudaStream_t stream_{};
  cudaError_t error_{cudaSuccess};
};

}  // namespace

std::unique_ptr<gpu_driver> make_cuda_driver(int gpu) { return std::make_unique<cuda_driver>(gpu); }

}  // namespace packetwarp
