// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "gpu/gpu.h"

namespace packetwarp {

// The copies of a GPU's domain (domain.h). make_cuda_driver() makes CUDA's driver; a test makes one of plain memory.
// For a single thread.
class gpu_driver {
 public:
  enum class course : std::uint8_t { to_gpu, from_gpu };
  enum class state : std::uint8_t { under_way, done, failed };

  gpu_driver() = default;
  gpu_driver(gpu_driver const&) = delete;
  gpu_driver& operator=(gpu_driver const&) = delete;
  virtual ~gpu_driver() = default;

  // Allocates zeroed memory of the GPU, and frees it; only before and after a run. Throws failure if memory is short.
  [[nodiscard]] virtual std::byte* allocate(std::size_t bytes) = 0;
  virtual void free(std::byte* memory) = 0;
  // Lets the GPU write to memory of the host, until the registration ends. Throws failure.
  [[nodiscard]] virtual memory_registration pin(std::span<std::byte> memory) = 0;

  // Host memory through which copies go, so that they wait only for the GPU.
  [[nodiscard]] virtual std::span<std::byte> room() = 0;
  // Begins a copy between the room's first bytes and the GPU's memory, one copy at a time. False: the call failed.
  [[nodiscard]] virtual bool begin(course way, std::byte* in_gpu, std::size_t bytes) = 0;
  // The state of the copy. Never waits.
  [[nodiscard]] virtual state look() = 0;
  // The reason why the last call failed.
  [[nodiscard]] virtual std::string error() const = 0;

  // Leaves all memory to the process: the GPU does not come back.
  virtual void abandon() = 0;
};

// Makes the driver of a GPU that has been opened. Throws failure; usage_error in a build without GPU code.
[[nodiscard]] std::unique_ptr<gpu_driver> make_cuda_driver(int gpu);

}  // namespace packetwarp
