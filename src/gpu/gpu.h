// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

struct rte_mempool;

namespace packetwarp {

// Whether this binary holds GPU code (CMake's PACKETWARP_CUDA). If it does not, everything below throws usage_error.
inline constexpr bool built_with_cuda = PACKETWARP_WITH_CUDA != 0;

// Whether other devices access a GPU's memory over PCIe (GPUDirect RDMA).
enum class rdma_support : std::uint8_t {
  none,
  needs_flush,  // a running kernel sees a device's writes only after flush_inbound_writes()
  ordered       // a kernel that was told of a write sees the data
};

// A GPU as its driver describes it.
struct gpu_facts {
  int index{};              // CUDA's index: the number for -g
  std::string name;         // "NVIDIA H200"
  std::string pci_address;  // "0000:1b:00.0"
  std::string driver;       // the CUDA version that the driver supports, "13.0"
  std::string runtime;      // the CUDA version that this binary was built with
  int compute_major{};
  int compute_minor{};
  int multiprocessors{};
  int clock_khz{};             // the fastest clock of its multiprocessors
  std::size_t shared_bytes{};  // the most shared memory of a block of threads
  std::uint64_t memory_bytes{};
  std::uint64_t memory_free{};
  rdma_support rdma{rdma_support::none};
};

// The GPUs of this machine; empty without a driver or a GPU. Never throws.
[[nodiscard]] std::vector<gpu_facts> find_gpus();

// Opens a GPU for work. A process opens each GPU that it uses once, before it makes the first executor on it. Throws
// usage_error if this machine lacks something (a driver, a driver as new as this binary needs, a GPU of this index),
// failure for a GPU that exists and does not open (for lack of memory, for example); the line says which.
[[nodiscard]] gpu_facts open_gpu(int index);

// Host memory that the GPU reads and writes over PCIe at the same address as the CPU; it starts as zeroes. The data
// path must not allocate or free it: both wait for the GPU.
class pinned_memory {
 public:
  pinned_memory() = default;
  pinned_memory(int gpu, std::size_t bytes);
  pinned_memory(pinned_memory&& other) noexcept;
  pinned_memory& operator=(pinned_memory&& other) noexcept;
  ~pinned_memory();

  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, size_}; }
  // Leaves the memory to the process: a kernel that nothing can end may still write it.
  void abandon() { data_ = nullptr; }

 private:
  std::byte* data_{};
  std::size_t size_{};
};

// Makes writes of other devices into a GPU's memory visible to kernels on this GPU. Blocks for a round trip over
// PCIe; false if it failed.
[[nodiscard]] bool flush_inbound_writes(int gpu);

// Another device's driver maps a GPU's memory in pages of this size.
inline constexpr std::size_t gpu_page = 65536;

// Memory of the GPU, which the CPU cannot access; it starts as zeroes, and on a page of its own if it fills a gpu_page.
class device_memory {
 public:
  device_memory() = default;
  device_memory(int gpu, std::size_t bytes);
  device_memory(device_memory&& other) noexcept;
  device_memory& operator=(device_memory&& other) noexcept;
  ~device_memory();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  void abandon() { data_ = nullptr; }

  // Copies while kernels run, and returns when the copy is done; meanwhile a kernel reads each word old or new. Not for
  // the data path. Throws failure.
  void write(std::size_t offset, std::span<std::byte const> from) const;
  void read(std::size_t offset, std::span<std::byte> into) const;

 private:
  int gpu_{};
  std::byte* data_{};
  std::size_t size_{};
};

// Pins existing memory, so that every GPU reads and writes it at the CPU's addresses.
class memory_registration {
 public:
  memory_registration() = default;  // no memory
  // Pins the whole pages around [data, data + bytes). Throws failure.
  memory_registration(int gpu, std::byte* data, std::size_t bytes);
  memory_registration(memory_registration&& other) noexcept;
  memory_registration& operator=(memory_registration&& other) noexcept;
  ~memory_registration();
  void abandon() { data_ = nullptr; }

 private:
  std::byte* data_{};
};

// Pins every packet pool of the process. For the master, before the first packet.
[[nodiscard]] std::vector<memory_registration> register_packet_pools(int gpu);

}  // namespace packetwarp
