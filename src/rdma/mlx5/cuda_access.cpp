// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "gpu/cuda_check.h"
#include "gpu/gpu.h"
#include "rdma/bandwidth/gpu_needed.h"
#include "rdma/bandwidth/gpu_poster.h"
#include "rdma/latency/gpu_pinger.h"
#include "rdma/mlx5/gpu_access.h"

namespace packetwarp::rdma {
namespace {

// CUDA's version since which the driver exports memory by dma-buf.
constexpr unsigned version_of_export = 11070;

class cuda_access final : public gpu_access {
 public:
  cuda_access(int gpu, std::size_t most_queues) : gpu_{gpu}, poster_{gpu, most_queues}, pinger_{gpu} {}

  memory_kind queue_kind() const override { return memory_kind::pinned; }
  memory_kind cursor_kind() const override { return memory_kind::device; }
  memory_kind payload_kind() const override { return memory_kind::device; }
  int index() const override { return gpu_; }

  // As NVSHMEM's IBGDA does it; without the driver's option PeerMappingOverride=1 the call fails.
  std::byte* map_registers(std::byte* registers, std::size_t bytes, std::string& problem) override {
    auto error = cudaSetDevice(gpu_);
    if (error == cudaSuccess)
      error = cudaHostRegister(registers, bytes,
                               cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory);
    if (error != cudaSuccess) {
      problem = refused("cudaHostRegister of the doorbell's page", error);
      return nullptr;
    }
    void* at = nullptr;
    error = cudaHostGetDevicePointer(&at, registers, 0);
    if (error == cudaSuccess) return static_cast<std::byte*>(at);
    problem = refused("cudaHostGetDevicePointer of the doorbell's page", error);
    unmap_registers(registers);
    return nullptr;
  }
  void unmap_registers(std::byte* registers) override { (void)cudaHostUnregister(registers); }

  int export_memory(std::byte* at, std::size_t bytes, std::string& problem) override {
    constexpr auto name = "cuMemGetHandleForAddressRange";
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    auto const error = cudaGetDriverEntryPointByVersion(name, &entry, version_of_export, cudaEnableDefault, &found);
    if (error != cudaSuccess || found != cudaDriverEntryPointSuccess || entry == nullptr) {
      if (error != cudaSuccess) (void)cudaGetLastError();
      problem = fmt::format("the NVIDIA driver has no {}", name);
      return -1;
    }
    int descriptor = -1;
    auto const call = reinterpret_cast<decltype(&cuMemGetHandleForAddressRange)>(entry);
    auto const result =
        call(&descriptor, reinterpret_cast<CUdeviceptr>(at), bytes, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
    if (result == CUDA_SUCCESS) return descriptor;
    problem = fmt::format("{} failed with CUDA's error {}", name, static_cast<int>(result));
    return -1;
  }
  void see_inbound_writes() override { (void)flush_inbound_writes(gpu_); }
  bool kernels_see_inbound_writes() const override { return open_gpu(gpu_).rdma != rdma_support::needs_flush; }

  std::vector<post_times> post(std::span<posted_queue const> queues, post_loop const& loop) override {
    return poster_.post(queues, loop);
  }
  ping_times ping(ping_loop const& loop) override { return pinger_.ping(loop); }

 private:
  [[nodiscard]] static std::string refused(std::string_view call, cudaError_t error) {
    (void)cudaGetLastError();  // otherwise the next call would report this error again
    return fmt::format("{} failed: {}", call, packetwarp::to_string(error));
  }

  int gpu_;
  gpu_poster poster_;
  gpu_pinger pinger_;
};

}  // namespace

std::unique_ptr<gpu_access> make_cuda_access(int gpu, std::size_t most_queues) {
  require_any_gpu("--initiator cpu --payload host");
  (void)open_gpu(gpu);
  return std::make_unique<cuda_access>(gpu, most_queues);
}

}  // namespace packetwarp::rdma
