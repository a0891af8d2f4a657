// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes without a queue: threads of a GPU store into memory that they reach at an address of its own: of their GPU, of
// a second GPU (gpu/peer_access.h), or of the host. queue_pair_ref.h is the API of writes that an engine executes.
//
//   put(block, to, from, bytes);                            // by all threads of a group (thread_group.h)
//   put_word(to, value);                                    // 8 bytes, by one thread
//   finish_puts(block);                                     // later stores of the block come after all of its puts
//   put_with_signal(block, to, from, bytes, signal, value); // a receiver that sees the signal sees the bytes
//   await_signal(signal, value, limit);                     // the receiver, by one thread
//
// put: `to` and `from` have any alignment, and do not overlap. Bytes go by units of 16, if both places have the same
// distance from a multiple of 16; otherwise by units of 8, 4 or 1. Each thread has up to eight loads under way.
//
// Order. Puts have none among themselves. finish_puts and put_with_signal order all earlier puts of the group's
// threads, with the scope that is given; for a second GPU, and for a CPU, that is the system's.

#include <cstdint>
#include <cstring>

#include "rdma/queue_pair_ref.h"
#include "rdma/thread_group.h"

namespace packetwarp::rdma {

namespace detail {

struct alignas(16) unit_of_16 {
  std::uint32_t words[4];
};

// Both places are aligned to the unit.
template <class Unit>
[[nodiscard]] HOST_DEVICE Unit load_unit(std::byte const* from) {
#if defined(__CUDA_ARCH__)
  return *reinterpret_cast<Unit const*>(from);
#else
  Unit unit;
  std::memcpy(&unit, from, sizeof unit);
  return unit;
#endif
}
template <class Unit>
HOST_DEVICE void store_unit(std::byte* to, Unit const& unit) {
#if defined(__CUDA_ARCH__)
  *reinterpret_cast<Unit*>(to) = unit;
#else
  std::memcpy(to, &unit, sizeof unit);
#endif
}

// Moves `Count` units that lie `stride` bytes apart, with all loads before the first store.
template <class Unit, std::uint32_t Count>
HOST_DEVICE void move_units(std::byte* to, std::byte const* from, std::uint64_t stride) {
  Unit held[Count];
  for (std::uint32_t i = 0; i < Count; ++i) held[i] = load_unit<Unit>(from + i * stride);
  for (std::uint32_t i = 0; i < Count; ++i) store_unit(to + i * stride, held[i]);
}

// The units that the calling thread of a group moves; `bytes` is a multiple of a unit.
template <class Unit, thread_group Group>
HOST_DEVICE void move_share(Group const& group, std::byte* to, std::byte const* from, std::uint64_t bytes) {
  std::uint64_t const stride = std::uint64_t{group.size()} * sizeof(Unit);
  std::uint64_t at = std::uint64_t{group.thread_rank()} * sizeof(Unit);
  // At most one unit for each thread: threads of a large group that have none end soon.
  if (bytes <= stride) {
    if (at < bytes) move_units<Unit, 1>(to + at, from + at, stride);
    return;
  }
  for (; at + 7 * stride < bytes; at += 8 * stride) move_units<Unit, 8>(to + at, from + at, stride);
  if (at + 3 * stride < bytes) {
    move_units<Unit, 4>(to + at, from + at, stride);
    at += 4 * stride;
  }
  if (at + stride < bytes) {
    move_units<Unit, 2>(to + at, from + at, stride);
    at += 2 * stride;
  }
  if (at < bytes) move_units<Unit, 1>(to + at, from + at, stride);
}

// Bytes up to the first unit, units, and the bytes that are left.
template <class Unit, thread_group Group>
HOST_DEVICE void move_by_units(Group const& group, std::byte* to, std::byte const* from, std::uint64_t bytes) {
  std::uint64_t head = (sizeof(Unit) - reinterpret_cast<std::uintptr_t>(to) % sizeof(Unit)) % sizeof(Unit);
  if (head > bytes) head = bytes;
  auto const units = (bytes - head) / sizeof(Unit) * sizeof(Unit);
  if (head != 0) move_share<std::uint8_t>(group, to, from, head);
  move_share<Unit>(group, to + head, from + head, units);
  auto const tail = head + units;
  if (tail != bytes) move_share<std::uint8_t>(group, to + tail, from + tail, bytes - tail);
}

}  // namespace detail

template <thread_group Group>
HOST_DEVICE void put(Group const& group, void* to, void const* from, std::uint64_t bytes) {
  auto* const target = static_cast<std::byte*>(to);
  auto const* const source = static_cast<std::byte const*>(from);
  auto const to_bits = reinterpret_cast<std::uintptr_t>(to), from_bits = reinterpret_cast<std::uintptr_t>(from);
  if ((to_bits | from_bits | bytes) % sizeof(detail::unit_of_16) == 0)
    return detail::move_share<detail::unit_of_16>(group, target, source, bytes);
  auto const apart = to_bits ^ from_bits;
  if (apart % 16 == 0) {
    detail::move_by_units<detail::unit_of_16>(group, target, source, bytes);
  } else if (apart % 8 == 0) {
    detail::move_by_units<std::uint64_t>(group, target, source, bytes);
  } else if (apart % 4 == 0) {
    detail::move_by_units<std::uint32_t>(group, target, source, bytes);
  } else {
    detail::move_share<std::uint8_t>(group, target, source, bytes);
  }
}

// In one store; the place is aligned to 8 bytes.
HOST_DEVICE inline void put_word(std::uint64_t* to, std::uint64_t value) { *to = value; }

// How puts are ordered before later stores.
HOST_DEVICE inline void fence_puts(ordering how) { cuda::atomic_thread_fence(how.order, how.scope); }

template <thread_group Group>
HOST_DEVICE void finish_puts(Group const& group, ordering how = release_to_system) {
  group.sync();
  if (group.thread_rank() == 0) fence_puts(how);
  group.sync();
}

// Stores `value` at an aligned place after the bytes, and after all earlier puts of the group's threads.
template <thread_group Group>
HOST_DEVICE void put_with_signal(Group const& group, void* to, void const* from, std::uint64_t bytes,
                                 std::uint64_t* signal, std::uint64_t value, ordering how = release_to_system) {
  put(group, to, from, bytes);
  group.sync();
  if (group.thread_rank() == 0) detail::store_after(*signal, value, how);
}

// Waits until a signal is at least `value`: the calling thread then sees what was put before it. False if that takes
// too long.
HOST_DEVICE inline bool await_signal(std::uint64_t const& signal, std::uint64_t value, patience limit) {
  constexpr std::uint32_t polls_between_looks = 256;
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> const word{const_cast<std::uint64_t&>(signal)};
  std::uint64_t began = 0;
  for (std::uint32_t polls = 0; word.load(cuda::memory_order_acquire) < value; ++polls) {
    if (polls % polls_between_looks != 0) continue;
    auto const now = detail::now_ns();
    if (began == 0) began = now;
    if (now - began > limit.nanoseconds) return false;
    detail::rest();
  }
  return true;
}

}  // namespace packetwarp::rdma
