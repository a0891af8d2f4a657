// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <memory>

#include "base/thread/call_thread.h"
#include "gpu/await_stream.h"
#include "gpu/cuda_check.h"
#include "gpu/driver.h"

namespace packetwarp {
namespace {

// The size of the pinned memory through which copies go piece by piece: large enough to keep the bus busy, and quickly
// copied.
constexpr std::size_t room_bytes = std::size_t{1} << 20;

// The parts of copies: they belong to the thread that makes the copies, which may outlive the driver.
struct copying {
  copying(int of_gpu, std::size_t bytes) : gpu{of_gpu}, room{of_gpu, bytes} {
    require_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream for copies");
  }
  copying(copying const&) = delete;
  copying& operator=(copying const&) = delete;
  ~copying() {
    if (stream != nullptr) (void)cudaStreamDestroy(stream);
  }
  void abandon() {
    room.abandon();
    stream = nullptr;
  }

  [[nodiscard]] cudaError_t copy(gpu_driver::course way, std::byte* in_gpu, std::size_t bytes) const {
    auto* const here = room.bytes().data();
    if (auto const refused = cudaSetDevice(gpu); refused != cudaSuccess) return refused;
    auto const begun = way == gpu_driver::course::to_gpu
                           ? cudaMemcpyAsync(in_gpu, here, bytes, cudaMemcpyHostToDevice, stream)
                           : cudaMemcpyAsync(here, in_gpu, bytes, cudaMemcpyDeviceToHost, stream);
    return begun == cudaSuccess ? await_stream(stream) : begun;
  }

  int gpu;
  pinned_memory room;
  cudaStream_t stream{};
  cudaError_t error{cudaSuccess};  // of the last copy
};

class cuda_driver final : public gpu_driver {
 public:
  explicit cuda_driver(int gpu) : gpu_{gpu}, copying_{std::make_shared<copying>(gpu, room_bytes)} {}

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

  [[nodiscard]] std::span<std::byte> room() override { return copying_->room.bytes(); }
  // While a kernel traps, each call of the driver, from any thread, takes 0.4 to 3 s (seen on an H200).
  [[nodiscard]] bool begin(course way, std::byte* in_gpu, std::size_t bytes) override {
    return thread_.begin([with = copying_, way, in_gpu, bytes] { with->error = with->copy(way, in_gpu, bytes); });
  }
  [[nodiscard]] state look() override {
    if (thread_.is_busy()) return state::under_way;
    return copying_->error == cudaSuccess ? state::done : state::failed;
  }
  [[nodiscard]] std::string error() const override {
    return thread_.is_busy() ? "the copy before it has not come back" : to_string(copying_->error);
  }

  void abandon() override {
    copying_->abandon();
    thread_.abandon();
  }

 private:
  int gpu_;
  std::shared_ptr<copying> copying_;
  call_thread thread_{"gpu-copies"};
};

}  // namespace

std::unique_ptr<gpu_driver> make_cuda_driver(int gpu) { return std::make_unique<cuda_driver>(gpu); }

}  // namespace packetwarp
