// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/persistent.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "gpu/cuda_check.h"

namespace packetwarp {

persistent_executor::persistent_executor(burst_ring& ring, gpu_program program, gpu_settings const& settings,
                                         std::unique_ptr<executor> fallback)
    : cuda_executor{ring, program, settings, std::move(fallback)} {}

void persistent_executor::start() {
  use_gpu();
  auto ring = shared();
  std::array<void*, 2> arguments{&ring, program().tables.data()};
  auto const threads = program().persistent_threads;
  require_cuda(cudaLaunchKernel(program().persistent, dim3{settings().blocks}, dim3{threads}, arguments.data(),
                                shared_bytes_of(program().persistent, threads), stream()),
               "starting the persistent kernel");
}

bool persistent_executor::offer() {
  if (describe_ready(std::numeric_limits<std::uint32_t>::max()) != 0) tell(described() | stalled_);
  return true;
}

// The bursts of a failed GPU have been dropped: their packets have other owners by now, and the GPU must not touch
// them.
void persistent_executor::ask_to_end() {
  if (has_failed()) stall();
  tell(described() | stalled_ | offload_control::stop);
}

void persistent_executor::stall() { stalled_ = offload_control::stall; }

void persistent_executor::resume() {
  stalled_ = 0;
  tell(described());
}

void persistent_executor::forget() {
  stall();
  tell(described() | stalled_ | offload_control::stop);
}

std::string persistent_executor::what() const { return fmt::format("GPU {}, persistent kernel", settings().gpu.index); }

}  // namespace packetwarp
