// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "gpu/domain.h"
#include "gpu/gpu.h"
#include "memory/placement.h"

namespace packetwarp {

// The bursts that one launch of the kernel executor works on.
enum class launch_policy : std::uint8_t {
  ready_bursts,  // every burst that is ready
  per_burst      // l2fwd-nv's: one
};

// Injected faults: how a test breaks a GPU.
enum class gpu_fault : std::uint8_t {
  none,
  error,   // a kernel traps: CUDA's errors are permanent, and stop all that the process has on that GPU
  stall,   // kernels finish nothing more
  lost,    // the GPU answers no more: its kernels finish no burst and never end, and every call fails
  memory,  // copies, and then launches, fail for want of memory
  busy     // others have the GPU: it finishes no burst until it has been given up, and then all of them
};

// The settings of an executor on a GPU.
struct gpu_settings {
  gpu_facts gpu;
  std::shared_ptr<gpu_domain> domain{};     // of that GPU; without one the executor is alone in its own
  std::chrono::nanoseconds packet_time{0};  // least time spent on a packet
  std::chrono::nanoseconds timeout{std::chrono::milliseconds{100}};  // without progress, the GPU has failed
  launch_policy launches{launch_policy::ready_bursts};
  gpu_fault fault{gpu_fault::none};
  std::uint64_t fault_after{0};  // bursts
  bool trace{};                  // NVTX ranges
  std::uint32_t pipeline{0};     // for their names
  std::uint32_t blocks{2};       // threads of each: threads_of_block() (joint/rooms.h)
  placement where{placement::host};
  packet_route route{packet_route::direct};  // staged: the GPU copies packets in and back
  std::uint32_t data_room{};                 // the longest packet that staging has room for, in bytes
  bool behind_rdma{};                        // a port writes packets into the GPU's memory by itself
};

}  // namespace packetwarp
