// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"

// The batch of a function whose joint work is done by kernels of its own (function.h, has_own_kernels): the bursts that
// were taken together, and a room for each group of their packets, one beside the other in GPU memory.
namespace packetwarp {

// What kernels tell each other. Zero at first.
struct batch_state {
  std::uint64_t begin;  // position of the batch's first burst
  std::uint64_t end;    // and of the first one behind it
  std::uint32_t groups;
  // Of a graph's stint (stint.h), which takes batch after batch:
  std::uint32_t has_begun;
  std::uint64_t stints;  // begun
  std::uint64_t limit;   // position at which this one ends
};

// As kernels get it: by value. Owns nothing.
struct batch_ref {
  batch_state* state;
  std::byte* rooms;        // of groups, in the order of their bursts and of the packets in those
  std::uint32_t* packets;  // in each group
  std::uint64_t* begun;    // host memory, written by the GPU: how many stints have begun
  std::uint64_t bursts;    // a stint, at most
  std::uint32_t groups;    // that there is room for
};
static_assert(std::is_trivially_copyable_v<batch_ref>);

// The rooms of one stage: those of a chain lie in the chain's.
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

// A batch as a stage's kernels get it. The number of groups is known on the GPU only: kernels are launched for
// `most_groups` and look at `groups` first.
template <class Room>
struct stage_batch {
  room_list<Room> rooms;
  std::uint32_t const* packets;  // in each group; may be 0
  std::uint32_t const* groups;
  std::uint32_t most_groups;
};

}  // namespace packetwarp
