// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "burst/epoch.h"

// The batch of a function whose joint work is done by kernels of its own (function.h, has_own_kernels): the bursts that
// were taken together, and a room for each group of their packets, side by side in GPU memory.
namespace packetwarp {

// Messages between kernels. They start as zeroes.
struct batch_state {
  std::uint64_t begin;  // position of the batch's first burst
  std::uint64_t end;    // and of the first one after it
  std::uint32_t groups;
  std::uint64_t stints;  // of a graph (stint.h) that have begun
};

// The bounds of the GPU that kernels are launched for.
struct gpu_bounds {
  std::uint32_t shared_bytes;  // of a block
  std::uint32_t multiprocessors;
};

// The batch in the form that kernels take by value. It owns nothing.
struct batch_ref {
  batch_state* state;
  std::byte* rooms;        // of groups, in the order of their bursts and of the packets within
  std::uint32_t* packets;  // in each group
  epoch_number* epochs;    // of each group's burst; written for a function that follows epochs, and for no other
  std::uint64_t* begun;    // host memory, written by the GPU: the number of stints that have begun
  std::uint32_t groups;    // that it has room for
  std::byte* beside;       // the stages' memory of their own (own_kernels::bytes_beside)
  gpu_bounds gpu;
};
static_assert(std::is_trivially_copyable_v<batch_ref>);

// The rooms of one stage: a chain's stages have theirs within the chain's.
template <class Room>
class room_list {
 public:
  HOST_DEVICE room_list(std::byte* first, std::size_t stride) : first_{first}, stride_{stride} {}
  [[nodiscard]] HOST_DEVICE Room& operator[](std::size_t group) const {
    return *reinterpret_cast<Room*>(first_ + group * stride_);
  }

 private:
  std::byte* first_;
  std::size_t stride_;
};

// The batch in the form that a stage's kernels take. Only the GPU knows the number of groups: kernels are launched for
// `most_groups` and read `groups` first.
template <class Room>
struct stage_batch {
  room_list<Room> rooms;
  std::uint32_t const* packets;  // in each group; may be 0
  epoch_number const* epochs;    // of each group's burst, if the function follows epochs
  std::uint32_t const* groups;
  std::uint32_t most_groups;
  std::byte* beside;  // the stage's memory, if it has some
  gpu_bounds gpu;
};

}  // namespace packetwarp
