// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/kernel.h"

#include <fmt/format.h>

#include <limits>

#include "executor/gpu/device/fault.h"
#include "executor/gpu/joint/take.h"
#include "gpu/cuda_check.h"

namespace packetwarp {
namespace {

constexpr unsigned warps_per_block = kernel_threads / gpu_warp_size;

// The value that measured best (docs/performance/gpu.md): enough that the GPU never waits for a launch.
constexpr std::uint32_t launches_of_ready_bursts = 3;
// Launches of all threads wait for one another in the driver, so small launches are expensive.
constexpr std::uint32_t part_of_ring_beside = 4;

}  // namespace

kernel_executor::kernel_executor(burst_ring& ring, gpu_program program, gpu_settings const& settings,
                                 std::unique_ptr<executor> fallback)
    : cuda_executor{ring, program, settings, std::move(fallback)},
      own_{program, settings, shared(), nullptr},
      shared_bytes_{shared_bytes_of(own_.is_there() ? program.own.finish : program.batch, kernel_threads)},
      own_graph_{capture_own()},
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
  if (own_.is_there()) return launch_own(first, count);
  auto ring = shared();
  std::array<void*, 4> arguments{&ring, &first, &count, program().tables.data()};
  auto const blocks = (count * ring.units + warps_per_block - 1) / warps_per_block;
  return went_well(
      cudaLaunchKernel(program().batch, dim3{blocks}, dim3{kernel_threads}, arguments.data(), shared_bytes_, stream()));
}

bool kernel_executor::launch_own(std::uint64_t first, std::uint32_t count) {
  return went_well(launch_place_batch(stream(), shared(), own_.batch(), first, count)) &&
         went_well(cudaGraphLaunch(own_graph_.get(), stream()));
}

cuda_graph kernel_executor::capture_own() {
  if (!own_.is_there()) return {};
  return cuda_graph{[this](cudaGraph_t graph) {
    capture_into(graph, stream(), [this] { return own_.launch(stream(), program(), shared_bytes_); });
  }};
}

void kernel_executor::start() {
  if (!own_.is_there()) return;
  use_gpu();
  require_cuda(cudaGraphUpload(own_graph_.get(), stream()), "bringing a graph to the GPU");
}

void kernel_executor::stall() { (void)went_well(launch_stall(shared().control, stream())); }

void kernel_executor::resume() { tell(offload_control::stop); }

// Launches work on the bursts that they were given, and end.
void kernel_executor::forget() {}

// Launches end by themselves; only an injected stall listens.
void kernel_executor::ask_to_end() { tell(offload_control::stop); }

std::string kernel_executor::what() const { return fmt::format("GPU {}, kernel", settings().gpu.index); }

}  // namespace packetwarp
