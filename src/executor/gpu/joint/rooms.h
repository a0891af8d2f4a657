// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "executor/executor.h"

// The shared memory of functions that work on packets together (function.h, has_joint_work): a room for each warp of a
// block, in each of the executors on a GPU.
namespace packetwarp {

inline constexpr unsigned gpu_warp_size = 32;

// A block of a persistent kernel has so few threads that each has 128 registers, the most that a function uses, and
// keeps little in memory.
inline constexpr unsigned persistent_threads = 512;
inline constexpr unsigned kernel_threads = 128;
inline constexpr unsigned graph_threads = 1024;  // most: device/stint.cuh

// For an executor that needs a GPU.
[[nodiscard]] constexpr unsigned threads_of_block(executor_kind kind) {
  if (kind == executor_kind::persistent) return persistent_threads;
  return kind == executor_kind::graph ? graph_threads : kernel_threads;
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
