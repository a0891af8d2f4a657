// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/gpu.h"

#include <fmt/format.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/units.h"
#include "memory/cuda_check.h"

namespace packetwarp {
namespace {

// What must be said before CUDA starts. Kernels that run for as long as the program: loading another lazily would wait
// for them, and so would a launch that shares a hardware queue with one.
void prepare_cuda() {
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
}

[[nodiscard]] std::string version(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

[[nodiscard]] std::string runtime_version() {
  int number = 0;
  (void)cudaRuntimeGetVersion(&number);
  return version(number);
}

[[nodiscard]] std::string driver_version() {
  int number = 0;
  (void)cudaDriverGetVersion(&number);
  return version(number);
}

[[nodiscard]] std::string why_no_gpu(cudaError_t error) {
  constexpr auto else_use = "or use -w none or -w cpu";
  switch (error) {
    case cudaErrorInsufficientDriver: {
      int number = 0;
      (void)cudaDriverGetVersion(&number);
      if (number == 0) {
        return fmt::format("no NVIDIA driver here (libcuda.so.1 is not found): install one for CUDA {} or newer, {}",
                           runtime_version(), else_use);
      }
      return fmt::format("the NVIDIA driver speaks CUDA {}, this program needs {}: install a newer driver, {}",
                         version(number), runtime_version(), else_use);
    }
    case cudaErrorNoDevice:
      return fmt::format("the NVIDIA driver finds no GPU (see 'nvidia-smi -L' and CUDA_VISIBLE_DEVICES): add one, {}",
                         else_use);
    default:
      return fmt::format("CUDA does not start: {}; see 'nvidia-smi', {}", to_string(error), else_use);
  }
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
          .runtime = runtime_version(),
          .compute_major = properties.major,
          .compute_minor = properties.minor,
          .multiprocessors = properties.multiProcessorCount,
          .clock_khz = clock_khz,
          .memory_bytes = properties.totalGlobalMem,
          .memory_free = 0};
}

[[nodiscard]] std::string list_of(std::vector<gpu_facts> const& gpus) {
  std::string all;
  for (auto const& g : gpus) all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", g.index, g.name);
  return all;
}

struct memory_range {
  std::uintptr_t begin;
  std::uintptr_t end;
};

// Of all packet pools, in whole pages, none overlapping another: pools may share a page.
[[nodiscard]] std::vector<memory_range> ranges_of_packet_pools() {
  std::vector<memory_range> ranges;
  auto const visit_pool = [](rte_mempool* pool, void* to) {
    // Only pools of mbufs carry this; other mempools are of no use to a GPU.
    if (pool->private_data_size < sizeof(rte_pktmbuf_pool_private)) return;
    auto const visit_chunk = [](rte_mempool*, void* into, rte_mempool_memhdr* chunk, unsigned) {
      auto const page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
      auto const begin = reinterpret_cast<std::uintptr_t>(chunk->addr);
      static_cast<std::vector<memory_range>*>(into)->push_back(
          {begin / page * page, (begin + chunk->len + page - 1) / page * page});
    };
    rte_mempool_mem_iter(pool, visit_chunk, to);
  };
  rte_mempool_walk(visit_pool, &ranges);
  std::sort(ranges.begin(), ranges.end(), [](auto const& a, auto const& b) { return a.begin < b.begin; });
  std::vector<memory_range> merged;
  for (auto const& range : ranges) {
    if (!merged.empty() && range.begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, range.end);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

}  // namespace

std::vector<gpu_facts> find_gpus() {
  prepare_cuda();
  std::vector<gpu_facts> found;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    (void)cudaGetLastError();
    return found;
  }
  for (int index = 0; index < count; ++index) {
    try {
      found.push_back(describe_gpu(index));
    } catch (failure const&) {  // a GPU that cannot be asked is none
    }
  }
  return found;
}

gpu_facts open_gpu(int index) {
  prepare_cuda();
  int count = 0;
  if (auto const error = cudaGetDeviceCount(&count); error != cudaSuccess) {
    (void)cudaGetLastError();
    throw failure(why_no_gpu(error));
  }
  if (index < 0 || index >= count) {
    throw usage_error(fmt::format("-g {}: there is no such GPU; this machine has {}", index, list_of(find_gpus())));
  }
  auto facts = describe_gpu(index);
  int same_addresses = 0;
  (void)cudaDeviceGetAttribute(&same_addresses, cudaDevAttrCanUseHostPointerForRegisteredMem, index);
  if (same_addresses == 0) {
    throw failure(
        fmt::format("GPU {} ({}): it sees host memory at other addresses than the CPU, which packet memory needs; "
                    "use a Linux host with a 64-bit CUDA driver, or -w cpu",
                    index, facts.name));
  }
  if (auto const error = cudaSetDevice(index); error != cudaSuccess) {
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

pinned_memory::pinned_memory(int gpu, std::size_t bytes) : size_{bytes} {
  auto const step = fmt::format("allocating {} of pinned host memory", format_size(bytes));
  require_cuda(cudaSetDevice(gpu), step);
  void* memory = nullptr;
  require_cuda(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped), step);
  data_ = static_cast<std::byte*>(memory);
  std::memset(data_, 0, bytes);
}
pinned_memory::pinned_memory(pinned_memory&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)}, size_{other.size_} {}
pinned_memory& pinned_memory::operator=(pinned_memory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}
pinned_memory::~pinned_memory() {
  if (data_ != nullptr) (void)cudaFreeHost(data_);
}

device_memory::device_memory(int gpu, std::size_t bytes) : size_{bytes} {
  auto const step = fmt::format("allocating {} of GPU {}'s memory", format_size(bytes), gpu);
  require_cuda(cudaSetDevice(gpu), step);
  void* memory = nullptr;
  if (auto const error = cudaMalloc(&memory, bytes); error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    std::size_t free = 0, total = 0;
    (void)cudaMemGetInfo(&free, &total);
    throw failure(fmt::format("GPU {}: {} of its memory are needed, {} of {} are free; end other programs that hold it "
                              "(see 'nvidia-smi'), or ask for fewer pipelines or a smaller ring",
                              gpu, format_size(bytes), format_size(free), format_size(total)));
  } else {
    require_cuda(error, step);
  }
  data_ = static_cast<std::byte*>(memory);
  require_cuda(cudaMemset(data_, 0, bytes), "clearing GPU memory");
}
device_memory::device_memory(device_memory&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)}, size_{other.size_} {}
device_memory& device_memory::operator=(device_memory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}
device_memory::~device_memory() {
  if (data_ != nullptr) (void)cudaFree(data_);
}

memory_registration::memory_registration(int gpu, std::byte* data, std::size_t bytes) {
  auto const step = fmt::format("pinning {} of packet memory", format_size(bytes));
  require_cuda(cudaSetDevice(gpu), step);
  require_cuda(cudaHostRegister(data, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped), step);
  data_ = data;
}
memory_registration::memory_registration(memory_registration&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)} {}
memory_registration::~memory_registration() {
  if (data_ != nullptr) (void)cudaHostUnregister(data_);
}

std::vector<memory_registration> register_packet_pools(int gpu) {
  std::vector<memory_registration> made;
  for (auto const& range : ranges_of_packet_pools()) {
    made.emplace_back(gpu, reinterpret_cast<std::byte*>(range.begin), range.end - range.begin);
  }
  return made;
}

}  // namespace packetwarp
