// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "base/thread/beside_lcores.h"
#include "gpu/cuda_check.h"
#include "gpu/cuda_runtime_version.h"

namespace packetwarp {
namespace {

// Makes settings that must precede CUDA's start. Some kernels run as long as the program: lazy loading of another
// kernel would wait for them, and so would a launch that shares a hardware queue with one.
void prepare_cuda() {
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
}

// The driver's threads start on CPUs beside the lcores': they have much work when a GPU is lost.
[[nodiscard]] cudaError_t start_cuda(int& count) {
  prepare_cuda();
  auto error = cudaSuccess;
  run_beside_lcores([&] { error = cudaGetDeviceCount(&count); });
  return error;
}

[[nodiscard]] std::string version(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

[[nodiscard]] std::string driver_version() {
  int number = 0;
  (void)cudaDriverGetVersion(&number);
  return version(number);
}

[[nodiscard]] std::string why_no_gpu(cudaError_t error) {
  constexpr auto else_use = "or use the CPU: -w cpu or -w none (l2fwd), data_plane.executor: cpu (run)";
  switch (error) {
    case cudaErrorInsufficientDriver: {
      int number = 0;
      (void)cudaDriverGetVersion(&number);
      if (number == 0) {
        return fmt::format("no NVIDIA driver here (libcuda.so.1 is not found): install one for CUDA {} or newer, {}",
                           cuda_runtime_version(), else_use);
      }
      return fmt::format("the NVIDIA driver speaks CUDA {}, this program needs {}: install a newer driver, {}",
                         version(number), cuda_runtime_version(), else_use);
    }
    case cudaErrorNoDevice:
      return fmt::format("the NVIDIA driver finds no GPU (see 'nvidia-smi -L' and CUDA_VISIBLE_DEVICES): add one, {}",
                         else_use);
    default:
      return fmt::format("CUDA does not start: {}; see 'nvidia-smi', {}", to_string(error), else_use);
  }
}

[[nodiscard]] rdma_support rdma_support_of(int index) {
  int supported = 0;
  (void)cudaDeviceGetAttribute(&supported, cudaDevAttrGPUDirectRDMASupported, index);
  if (supported == 0) return rdma_support::none;
  int ordering = cudaGPUDirectRDMAWritesOrderingNone;
  (void)cudaDeviceGetAttribute(&ordering, cudaDevAttrGPUDirectRDMAWritesOrdering, index);
  return ordering >= cudaGPUDirectRDMAWritesOrderingOwner ? rdma_support::ordered : rdma_support::needs_flush;
}

[[nodiscard]] gpu_facts describe_gpu(int index) {
  cudaDeviceProp properties{};
  require_cuda(cudaGetDeviceProperties(&properties, index), fmt::format("reading GPU {}'s properties", index));
  int clock_khz = 0;
  (void)cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, index);
  std::array<char, 32> address{};
  (void)cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), index);
  return {.index = index,
          .name = properties.name,
          .pci_address = address.data(),
          .driver = driver_version(),
          .runtime = cuda_runtime_version(),
          .compute_major = properties.major,
          .compute_minor = properties.minor,
          .multiprocessors = properties.multiProcessorCount,
          .clock_khz = clock_khz,
          .shared_bytes = properties.sharedMemPerBlockOptin,
          .memory_bytes = properties.totalGlobalMem,
          .memory_free = 0,
          .rdma = rdma_support_of(index)};
}

[[nodiscard]] std::string list_of(std::vector<gpu_facts> const& gpus) {
  std::string all;
  for (auto const& g : gpus) all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", g.index, g.name);
  return all;
}

}  // namespace

std::string cuda_runtime_version() {
  int number = 0;
  (void)cudaRuntimeGetVersion(&number);
  return version(number);
}

std::vector<gpu_facts> find_gpus() {
  std::vector<gpu_facts> found;
  int count = 0;
  if (start_cuda(count) != cudaSuccess) {
    (void)cudaGetLastError();
    return found;
  }
  for (int index = 0; index < count; ++index) {
    try {
      found.push_back(describe_gpu(index));
    } catch (failure const&) {  // a GPU that gives no answer is not counted
    }
  }
  return found;
}

gpu_facts open_gpu(int index) {
  int count = 0;
  if (auto const error = start_cuda(count); error != cudaSuccess) {
    (void)cudaGetLastError();
    throw usage_error(why_no_gpu(error));
  }
  if (index < 0 || index >= count) {
    throw usage_error(fmt::format("-g {}: there is no such GPU; this machine has {}", index, list_of(find_gpus())));
  }
  auto facts = describe_gpu(index);
  int same_addresses = 0;
  (void)cudaDeviceGetAttribute(&same_addresses, cudaDevAttrCanUseHostPointerForRegisteredMem, index);
  if (same_addresses == 0) {
    throw failure(fmt::format(
        "GPU {} ({}): it sees host memory at other addresses than the CPU, which packet memory needs; "
        "use a Linux host with a 64-bit CUDA driver, or the CPU: -w cpu (l2fwd), data_plane.executor: cpu (run)",
        index, facts.name));
  }
  auto error = cudaSuccess;
  run_beside_lcores([&] { error = cudaSetDevice(index); });
  if (error == cudaSuccess) error = cudaSetDevice(index);  // of this thread
  if (error != cudaSuccess) {
    (void)cudaGetLastError();
    bool const full = error == cudaErrorMemoryAllocation;
    throw failure(fmt::format("GPU {} ({}): it cannot be opened: {}{}", index, facts.name, to_string(error),
                              full ? "; other programs hold its memory: see 'nvidia-smi'" : ""));
  }
  std::size_t free = 0, total = 0;
  require_cuda(cudaMemGetInfo(&free, &total), fmt::format("reading GPU {}'s free memory", index));
  facts.memory_free = free;
  return facts;
}

}  // namespace packetwarp
