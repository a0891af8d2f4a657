// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "executor/executor.h"
#include "function/function_facts.h"

// The shared memory of functions that work on packets together (function.h, has_joint_work): a room for each warp of a
// block, in each of the executors on a GPU.
namespace packetwarp {

inline constexpr unsigned gpu_warp_size = 32;

// Threads of a block. With fewer, each has more registers, and keeps less in memory: a thread in a block of 1,024 has
// 64 of them (inspection took nine times as long), of 512 128, and of 256 all 255.
inline constexpr unsigned kernel_threads = 128;
inline constexpr unsigned joint_threads = 256;  // the work takes some 230 registers
inline constexpr unsigned persistent_threads = 512;
inline constexpr unsigned graph_threads = 1024;

// For an executor that needs a GPU (docs/performance/gpu-latency.md, "Fewer threads").
[[nodiscard]] constexpr unsigned threads_of_block(executor_kind kind, function_facts const& function) {
  if (kind == executor_kind::kernel) return kernel_threads;
  bool const is_joint = function.room_bytes != 0;
  if (kind == executor_kind::persistent) return is_joint && !function.goes_in_step ? joint_threads : persistent_threads;
  return is_joint || function.reach == payload_reach::payload ? persistent_threads : graph_threads;
}

// The bytes of the rooms of a block.
[[nodiscard]] constexpr std::size_t rooms_of_block(std::size_t room_bytes, unsigned threads) {
  return room_bytes * (threads / gpu_warp_size);
}

// The reason why a function cannot run on a GPU, and the remedy: for the end of an error's line. has: bytes of shared
// memory that a block can have.
[[nodiscard]] std::string lack_of_room(std::string_view function, std::size_t room_bytes, unsigned threads,
                                       std::size_t has);

// The reason why a function that needs kernels of its own has no persistent executor: the whole line.
[[nodiscard]] std::string lack_of_launches(std::string_view function);

}  // namespace packetwarp
