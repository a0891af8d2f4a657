// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/units.h"
#include "gpu/cuda_check.h"
#include "gpu/gpu.h"

namespace packetwarp {
namespace {

struct memory_range {
  std::uintptr_t begin;
  std::uintptr_t end;
};

// The memory of all packet pools, in whole pages, without overlaps: pools may share a page.
[[nodiscard]] std::vector<memory_range> ranges_of_packet_pools() {
  std::vector<memory_range> ranges;
  auto const visit_pool = [](rte_mempool* pool, void* to) {
    // Only pools of mbufs have this private data; a GPU has no use for other mempools.
    if (pool->private_data_size < sizeof(rte_pktmbuf_pool_private)) return;
    // The memory of such a pool has mbufs without packets: their data is elsewhere, in a GPU's memory.
    if ((rte_pktmbuf_priv_flags(pool) & RTE_PKTMBUF_POOL_F_PINNED_EXT_BUF) != 0) return;
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

// The process's own pages, pinned: a lost GPU takes CUDA's allocations with it, but the CPU can still read these pages.
pinned_memory::pinned_memory(int gpu, std::size_t bytes) : size_{bytes} {
  auto const step = fmt::format("pinning {} of host memory", format_size(bytes));
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) throw failure(fmt::format("{} failed: {}", step, rte_strerror(errno)));
  data_ = static_cast<std::byte*>(memory);
  auto error = cudaSetDevice(gpu);
  if (error == cudaSuccess) error = cudaHostRegister(data_, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped);
  if (error != cudaSuccess) ::munmap(memory, bytes);
  require_cuda(error, step);
}
pinned_memory::pinned_memory(pinned_memory&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)}, size_{other.size_} {}
pinned_memory& pinned_memory::operator=(pinned_memory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}
pinned_memory::~pinned_memory() {
  if (data_ == nullptr) return;
  (void)cudaHostUnregister(data_);
  ::munmap(data_, size_);
}

device_memory::device_memory(int gpu, std::size_t bytes) : gpu_{gpu}, size_{bytes} {
  auto const step = fmt::format("allocating {} of GPU {}'s memory", format_size(bytes), gpu);
  require_cuda(cudaSetDevice(gpu), step);
  void* memory = nullptr;
  if (auto const error = cudaMalloc(&memory, bytes); error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    std::size_t free = 0, total = 0;
    (void)cudaMemGetInfo(&free, &total);
    throw failure(
        fmt::format("GPU {}: {} of its memory are needed, {} of {} are free; end other programs that hold it "
                    "(see 'nvidia-smi'), or ask for fewer pipelines or a smaller ring",
                    gpu, format_size(bytes), format_size(free), format_size(total)));
  } else {
    require_cuda(error, step);
  }
  data_ = static_cast<std::byte*>(memory);
  require_cuda(cudaMemset(data_, 0, bytes), "clearing GPU memory");
  // The memset goes on after this call, and other streams would not wait for it.
  require_cuda(cudaStreamSynchronize(nullptr), "clearing GPU memory");
}
device_memory::device_memory(device_memory&& other) noexcept
    : gpu_{other.gpu_}, data_{std::exchange(other.data_, nullptr)}, size_{other.size_} {}
device_memory& device_memory::operator=(device_memory&& other) noexcept {
  std::swap(gpu_, other.gpu_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}
device_memory::~device_memory() {
  if (data_ != nullptr) (void)cudaFree(data_);
}

void device_memory::write(std::size_t offset, std::span<std::byte const> from) const {
  constexpr auto step = "writing tables to GPU memory";
  require_cuda(cudaSetDevice(gpu_), step);
  require_cuda(cudaMemcpyAsync(data_ + offset, from.data(), from.size(), cudaMemcpyHostToDevice, cudaStreamPerThread),
               step);
  require_cuda(cudaStreamSynchronize(cudaStreamPerThread), step);
}
void device_memory::read(std::size_t offset, std::span<std::byte> into) const {
  constexpr auto step = "reading tables from GPU memory";
  require_cuda(cudaSetDevice(gpu_), step);
  require_cuda(cudaMemcpyAsync(into.data(), data_ + offset, into.size(), cudaMemcpyDeviceToHost, cudaStreamPerThread),
               step);
  require_cuda(cudaStreamSynchronize(cudaStreamPerThread), step);
}

bool flush_inbound_writes(int gpu) {
  return cudaSetDevice(gpu) == cudaSuccess &&
         cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                            cudaFlushGPUDirectRDMAWritesToOwner) == cudaSuccess;
}

memory_registration::memory_registration(int gpu, std::byte* data, std::size_t bytes) {
  auto const step = fmt::format("pinning {} of packet memory", format_size(bytes));
  require_cuda(cudaSetDevice(gpu), step);
  require_cuda(cudaHostRegister(data, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped), step);
  data_ = data;
}
memory_registration::memory_registration(memory_registration&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)} {}
memory_registration& memory_registration::operator=(memory_registration&& other) noexcept {
  std::swap(data_, other.data_);
  return *this;
}
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
