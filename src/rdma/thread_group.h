// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include "base/host_device.h"

namespace packetwarp::rdma {

// Threads that call a function together. cooperative_groups' tiles and blocks are groups, too.
template <class Group>
concept thread_group = requires(Group const& group) {
  { group.thread_rank() } -> std::convertible_to<std::uint32_t>;
  { group.size() } -> std::convertible_to<std::uint32_t>;
  group.sync();
};

// A group in which all threads get the value of thread 0.
template <class Group>
concept broadcasting_group = thread_group<Group> && requires(Group const& group, std::uint64_t value) {
  { group.broadcast(value) } -> std::convertible_to<std::uint64_t>;
};

// A thread by itself.
struct single_thread {
  [[nodiscard]] HOST_DEVICE static constexpr std::uint32_t thread_rank() { return 0; }
  [[nodiscard]] HOST_DEVICE static constexpr std::uint32_t size() { return 1; }
  HOST_DEVICE static constexpr void sync() {}
  [[nodiscard]] HOST_DEVICE static constexpr std::uint64_t broadcast(std::uint64_t value) { return value; }
};
static_assert(broadcasting_group<single_thread>);

#if defined(__CUDACC__)
// The calling warp, with all of its lanes; blocks have one dimension.
struct whole_warp {
  [[nodiscard]] __device__ static std::uint32_t thread_rank() { return threadIdx.x % 32; }
  [[nodiscard]] __device__ static constexpr std::uint32_t size() { return 32; }
  __device__ static void sync() { __syncwarp(); }
  [[nodiscard]] __device__ static std::uint64_t broadcast(std::uint64_t value) {
    return __shfl_sync(0xffff'ffffU, value, 0);
  }
};

// The calling block; it has one dimension.
struct whole_block {
  [[nodiscard]] __device__ static std::uint32_t thread_rank() { return threadIdx.x; }
  [[nodiscard]] __device__ static std::uint32_t size() { return blockDim.x; }
  __device__ static void sync() { __syncthreads(); }
  [[nodiscard]] __device__ static std::uint64_t broadcast(std::uint64_t value) {
    __shared__ std::uint64_t told;
    if (threadIdx.x == 0) told = value;
    __syncthreads();
    auto const heard = told;
    __syncthreads();
    return heard;
  }
};
#endif

}  // namespace packetwarp::rdma
