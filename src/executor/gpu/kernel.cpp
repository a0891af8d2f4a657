// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/kernel.h"

#include <fmt/format.h>

#include <limits>

#include "executor/gpu/device/fault.h"

namespace packetwarp {
namespace {

constexpr unsigned warp_size = 32;
constexpr unsigned warps_per_block = 4;
constexpr unsigned threads_per_block = warps_per_block * warp_size;

// What measured best (docs/performance/gpu.md): enough that the GPU never waits for a launch.
constexpr std::uint32_t launches_of_ready_bursts = 3;
// Launches of all threads wait for one another in the driver, so that small ones are dear.
constexpr std::uint32_t part_of_ring_beside = 4;

}  // namespace

kernel_executor::kernel_executor(burst_ring& ring, gpu_program program, gpu_settings const& settings,
                                 std::unique_ptr<executor> fallback)
    : cuda_executor{ring, program, settings, std::move(fallback)},
      shared_bytes_{shared_bytes_of(program.batch, threads_per_block)},
      launches_in_flight_{settings.launches == launch_policy::per_burst ? most_launches : launches_of_ready_bursts},
      bursts_a_launch_{settings.launches == launch_policy::per_burst ? 1 : std::numeric_limits<std::uint32_t>::max()},
      bursts_beside_{settings.launches == launch_policy::per_burst ? 1 : ring.slots() / part_of_ring_beside} {}

bool kernel_executor::offer() {
  while (ended_ != launched_ && finished() >= ends_[ended_ % most_launches]) ++ended_;
  while (launched_ - ended_ < launches_in_flight_) {
    if (launched_ != ended_ && ready() < bursts_beside_) break;
    auto const first = described();
    auto const count = describe_ready(bursts_a_launch_);
    if (count == 0) break;
    ends_[launched_++ % most_launches] = described();
    if (!launch(first, count)) return false;
  }
  return true;
}

bool kernel_executor::launch(std::uint64_t first, std::uint32_t count) {
  use_gpu();
  auto ring = shared();
  std::array<void*, 4> arguments{&ring, &first, &count, program().tables.data()};
  auto const blocks = (count * ring.units + warps_per_block - 1) / warps_per_block;
  return went_well(cudaLaunchKernel(program().batch, dim3{blocks}, dim3{threads_per_block}, arguments.data(),
                                    shared_bytes_, stream()));
}

void kernel_executor::stall() { (void)went_well(launch_stall(shared().control, stream())); }

void kernel_executor::resume() { tell(offload_control::stop); }

// Launches take what they were given, and end.
void kernel_executor::forget() {}

// Launches end by themselves; only an injected stall listens.
void kernel_executor::ask_to_end() { tell(offload_control::stop); }

std::string kernel_executor::what() const { return fmt::format("GPU {}, kernel", settings().gpu.index); }

}  // namespace packetwarp
