// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// RDMA writes from a GPU's threads, or a CPU's: the device API, and its manual.
//
//   __global__ void write_all(queue_pair_ref queue, memory_place local, memory_place remote, std::uint32_t bytes) {
//     whole_block const block;
//     auto const slots = queue.reserve(block, block.size());             // positions in the queue
//     queue.post_write(slots, threadIdx.x, local + threadIdx.x * bytes,  // a WQE per thread
//                      remote + threadIdx.x * bytes, bytes);
//     queue.commit(block, slots);                                        // doorbell record, doorbell
//     auto const status = queue.flush(block, slots);                     // wait for the completion
//   }
//
// A queue_pair_ref is passed by value. It does not own the queue's memory, and does not know which engine reads it.
//
// Groups. reserve, post_writes, commit and flush are called by all threads of a group (thread_group.h): single_thread,
// whole_warp, whole_block, or a group of cooperative_groups. All threads give equal arguments and get equal results.
//
// Use. With queue_use::one_group (the default) one group uses the queue at a time. With queue_use::many_groups any
// number of groups do; each must be a broadcasting_group, and each reservation must be committed. Groups commit in the
// order of their reservations: a group waits for earlier groups.
//
// Room. A reservation waits for room, and reads completions meanwhile. It is empty (count 0) if it is larger than the
// queue (queue_cursors::refused counts it), if the queue is in error, or if the wait takes longer than `patience`
// (status() says which).
//
// Completions. commit makes an engine write one CQE per reservation, for its last WQE. RC queues complete in order, so
// that CQE completes all earlier WQEs. poll reads one CQE; flush reads until the reservation is complete.
//
// Errors. The first error of a queue stays in status(). The engine completes every later WQE as `flushed`; reservations
// are then empty, and a queue is used again only after it is made anew.
//
// Memory order. commit takes the order and scope of the stores that make WQEs visible: {release, system} is right for
// every engine; {release, device} is enough if the queue and its engine are in the same GPU, and quicker; relaxed is
// wrong with every engine, and exists so that its cost can be measured. poll and flush take the same for loads:
// {acquire, ...}.
//
// Messages. post_write: up to 2^31 - 1 bytes; with 0 bytes nothing is written. post_write_inline: up to 28 bytes, which
// are copied into the WQE. post_signal: 8 bytes at an aligned address, in one store, after all earlier writes of the
// queue.
//
// Limits. A WQE takes one entry of 64 bytes. A queue has up to 32,768 entries, and its completion queue as many.

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "rdma/mlx5_format.h"
#include "rdma/ordered_words.h"
#include "rdma/thread_group.h"
#include "rdma/write_combining.h"

namespace packetwarp::rdma {

// An address and the key of the region that it lies in: lkey or rkey.
struct memory_place {
  std::uint64_t address{};
  std::uint32_t key{};
  [[nodiscard]] friend HOST_DEVICE constexpr memory_place operator+(memory_place at, std::uint64_t bytes) {
    return {at.address + bytes, at.key};
  }
};

struct write_request {
  memory_place local{};
  memory_place remote{};
  std::uint32_t bytes{};
};

enum class queue_use : std::uint8_t { one_group, many_groups };

// Positions [begin, begin + count) of a queue. Positions have 64 bits and never wrap.
struct reservation {
  std::uint64_t begin{};
  std::uint32_t count{};
  queue_use use{queue_use::one_group};
  [[nodiscard]] HOST_DEVICE constexpr std::uint64_t end() const { return begin + count; }
};

// How long a call waits at most, in nanoseconds.
struct patience {
  std::uint64_t nanoseconds{~std::uint64_t{0}};
};

// The words of a queue that only its posting threads use, in memory near to them.
struct alignas(64) queue_cursors {
  std::uint64_t reserved;   // positions given to groups
  std::uint64_t committed;  // positions given to the engine
  std::uint64_t completed;  // positions known to be complete
  std::uint64_t consumed;   // CQEs read
  std::uint32_t status;     // the first error
  std::uint32_t refused;    // reservations that were larger than the queue
};
static_assert(std::is_trivially_copyable_v<queue_cursors> && sizeof(queue_cursors) == 64);

// The memory of a queue pair. queue_pair.h allocates it.
struct queue_parts {
  work_queue_entry* entries;
  completion_entry* completions;
  std::uint32_t* send_record;        // the doorbell record of the send queue
  std::uint32_t* completion_record;  // the doorbell record of the completion queue
  std::uint64_t* doorbell;           // a ConnectX's doorbell register, or a word that an engine polls
  queue_cursors* cursors;
  std::uint32_t size;    // entries of each queue, a power of two
  std::uint32_t number;  // QPN, 24 bits
};

class queue_pair_ref {
 public:
  HOST_DEVICE explicit queue_pair_ref(queue_parts const& parts) : parts_{parts} {}

  [[nodiscard]] HOST_DEVICE std::uint32_t size() const { return parts_.size; }
  [[nodiscard]] HOST_DEVICE queue_parts const& parts() const { return parts_; }
  // The queue's first error; done without one.
  [[nodiscard]] HOST_DEVICE work_status status() const {
    return static_cast<work_status>(detail::load(parts_.cursors->status));
  }
  // The positions that are known to be complete: [0, completed()).
  [[nodiscard]] HOST_DEVICE std::uint64_t completed() const { return detail::load(parts_.cursors->completed); }

  // Takes the next `count` positions of the queue.
  template <thread_group Group>
  [[nodiscard]] HOST_DEVICE reservation reserve(Group const& group, std::uint32_t count,
                                                queue_use use = queue_use::one_group, patience limit = {}) const {
    if (count == 0 || count > parts_.size) return refuse(group);
    if constexpr (broadcasting_group<Group>) {
      if (use == queue_use::many_groups) return reserve_among_groups(group, count, limit);
    }
    auto const begin = detail::load(parts_.cursors->reserved);
    if (begin + count > completed() + parts_.size) {
      group.sync();  // all threads have decided before a completion changes
      if (group.thread_rank() == 0) wait(begin + count - parts_.size, queue_use::one_group, limit, acquire_from_system);
      group.sync();
    }
    if (status() != work_status::done) return {begin, 0, queue_use::one_group};
    return {begin, count, queue_use::one_group};
  }

  // Writes WQE `i` of a reservation, by the calling thread: `bytes` from the local place to the remote one.
  HOST_DEVICE void post_write(reservation const& slots, std::uint32_t i, memory_place local, memory_place remote,
                              std::uint32_t bytes) const {
    auto& entry = entry_at(slots.begin + i);
    write_request const request{local, remote, bytes};
    for (std::uint32_t n = 0; n < segments_per_entry; ++n) entry.segments[n] = segment_of(slots, i, n, request);
  }

  // Writes all WQEs of a reservation, by the group: request(i) is the write_request of WQE `i`. Each thread stores a
  // segment, so that stores of a warp lie side by side: over PCIe, the quickest way. Four threads call request(i).
  template <thread_group Group, class Request>
  HOST_DEVICE void post_writes(Group const& group, reservation const& slots, Request const& request) const {
    auto const segments = slots.count * segments_per_entry;
    for (std::uint32_t n = group.thread_rank(); n < segments; n += group.size()) {
      auto const i = n / segments_per_entry;
      entry_at(slots.begin + i).segments[n % segments_per_entry] =
          segment_of(slots, i, n % segments_per_entry, request(i));
    }
  }

  // The same as post_write with a payload that is copied into the WQE: 1 to 28 bytes.
  HOST_DEVICE void post_write_inline(reservation const& slots, std::uint32_t i, memory_place remote, void const* data,
                                     std::uint32_t bytes) const {
    work_queue_entry made{};
    made.segments[0] = control_segment(slots.begin + i, parts_.number, 2 + (bytes + 4 + 15) / 16, flags_of(slots, i));
    made.segments[1] = remote_segment(remote.address, remote.key);
    made.segments[2].words[0] = big(bytes | inline_flag);
    auto* const payload = reinterpret_cast<std::byte*>(&made) + inline_at;
    for (std::uint32_t n = 0; n < bytes && n < most_inline; ++n) payload[n] = static_cast<std::byte const*>(data)[n];
    entry_at(slots.begin + i) = made;
  }

  // Stores `value`, in the order of bytes of this machine, at an aligned remote place after all earlier writes.
  HOST_DEVICE void post_signal(reservation const& slots, std::uint32_t i, memory_place remote,
                               std::uint64_t value) const {
    post_write_inline(slots, i, remote, &value, sizeof value);
  }

  // Gives a reservation to the engine, once all of its threads have written their WQEs.
  template <thread_group Group>
  HOST_DEVICE void commit(Group const& group, reservation const& slots, ordering how = release_to_system) const {
    group.sync();
    if (group.thread_rank() == 0 && slots.count != 0) ring(slots, how);
    group.sync();
  }

  // Waits until a reservation is complete. Returns the queue's first error.
  template <thread_group Group>
  HOST_DEVICE work_status flush(Group const& group, reservation const& slots, patience limit = {},
                                ordering how = acquire_from_system) const {
    if (group.thread_rank() == 0) wait(slots.end(), slots.use, limit, how);
    group.sync();
    return status();
  }

  // Reads the next CQE, by one thread; false if it has not come.
  HOST_DEVICE bool poll(queue_use use = queue_use::one_group, ordering how = acquire_from_system) const {
    auto& cursors = *parts_.cursors;
    auto const consumed = detail::load(cursors.consumed);
    auto const& entry = parts_.completions[consumed & (parts_.size - 1)];
    completion_tail const tail{detail::load_before(entry.tail, how)};
    if (!tail.is_of(consumed, parts_.size)) return false;
    detail::load_fence(how);
    auto const before = detail::load(cursors.completed);
    auto const said =
        tail.opcode() == completion_error ? status_of(detail::load(entry.words[syndrome_at])) : work_status::done;
    // Indices have 16 bits, and fewer WQEs than half of that are under way.
    auto const distance = static_cast<std::uint16_t>(tail.index() - static_cast<std::uint16_t>(before));
    return use == queue_use::one_group ? complete_alone(consumed, before + distance + 1, said)
                                       : complete_among_groups(consumed, before + distance + 1, said);
  }

 private:
  template <class T>
  using shared = cuda::atomic_ref<T, cuda::thread_scope_system>;

  [[nodiscard]] HOST_DEVICE work_queue_entry& entry_at(std::uint64_t position) const {
    return parts_.entries[position & (parts_.size - 1)];
  }
  // The last WQE of a reservation asks for a CQE.
  [[nodiscard]] HOST_DEVICE static std::uint8_t flags_of(reservation const& slots, std::uint32_t i) {
    return i + 1 == slots.count ? flag_completion : std::uint8_t{0};
  }
  [[nodiscard]] HOST_DEVICE segment segment_of(reservation const& slots, std::uint32_t i, std::uint32_t n,
                                               write_request const& request) const {
    if (n == 0) {
      auto const segments = request.bytes == 0 ? 2U : 3U;
      return control_segment(slots.begin + i, parts_.number, segments, flags_of(slots, i));
    }
    if (n == 1) return remote_segment(request.remote.address, request.remote.key);
    if (n == 2) return data_segment(request.local.address, request.local.key, request.bytes);
    return {};  // whole lines are quicker than three quarters of one
  }

  template <thread_group Group>
  [[nodiscard]] HOST_DEVICE reservation refuse(Group const& group) const {
    if (group.thread_rank() == 0)
      shared<std::uint32_t>{parts_.cursors->refused}.fetch_add(1, cuda::memory_order_relaxed);
    group.sync();
    return {};
  }

  template <broadcasting_group Group>
  [[nodiscard]] HOST_DEVICE reservation reserve_among_groups(Group const& group, std::uint32_t count,
                                                             patience limit) const {
    std::uint64_t begin = 0;
    if (group.thread_rank() == 0) {
      begin = shared<std::uint64_t>{parts_.cursors->reserved}.fetch_add(count, cuda::memory_order_relaxed);
      // The position is taken: it is posted even if the queue is in error, so that later groups do not wait for it.
      // Another group may have read the CQE that made the room.
      auto const known = detail::load_before(parts_.cursors->completed, acquire_from_device);
      detail::load_fence(acquire_from_device);
      if (begin + count > known + parts_.size)
        wait(begin + count - parts_.size, queue_use::many_groups, limit, acquire_from_system);
      if (status() == work_status::waited_too_long) count = 0;
    }
    begin = group.broadcast(begin);
    count = static_cast<std::uint32_t>(group.broadcast(count));
    return {begin, count, queue_use::many_groups};
  }

  HOST_DEVICE void ring(reservation const& slots, ordering how) const {
    auto& cursors = *parts_.cursors;
    if (slots.use == queue_use::many_groups) {
      while (detail::load_before(cursors.committed, acquire_from_device) != slots.begin) {
        if (status() == work_status::waited_too_long) return;
        detail::rest();
      }
      detail::load_fence(acquire_from_device);
    }
    auto const last = control_segment(slots.end() - 1, parts_.number, 3, flag_completion);
    detail::store_after(*parts_.send_record, send_record(slots.end()), how);
    write_combining_fence();
    detail::store_after(*parts_.doorbell, doorbell_of(last), how);
    write_combining_fence();
    if (slots.use == queue_use::one_group) {
      detail::store(cursors.reserved, slots.end());
      detail::store(cursors.committed, slots.end());
    } else {
      // The next group's doorbell record comes after this one's.
      detail::store_after(cursors.committed, slots.end(), release_to_device);
    }
  }

  // Reads completions until `end` is complete.
  HOST_DEVICE void wait(std::uint64_t end, queue_use use, patience limit, ordering how) const {
    constexpr std::uint32_t polls_between_rests = 256;
    auto const began = detail::now_ns();
    for (std::uint32_t n = 1; detail::load_before(parts_.cursors->completed, how) < end; ++n) {
      if (poll(use, how) || n % polls_between_rests != 0) continue;
      if (status() == work_status::waited_too_long) return;
      if (detail::now_ns() - began > limit.nanoseconds) return note(work_status::waited_too_long);
      detail::rest();
    }
    // Another group may have read the CQE.
    if (use == queue_use::many_groups) detail::load_fence(how);
  }

  HOST_DEVICE void note(work_status error) const {
    std::uint32_t none = 0;
    shared<std::uint32_t>{parts_.cursors->status}.compare_exchange_strong(none, static_cast<std::uint32_t>(error),
                                                                          cuda::memory_order_relaxed);
  }

  HOST_DEVICE bool complete_alone(std::uint64_t consumed, std::uint64_t completed, work_status said) const {
    if (said != work_status::done) note(said);
    detail::store(parts_.cursors->consumed, consumed + 1);
    detail::store(parts_.cursors->completed, completed);
    detail::store(*parts_.completion_record, completion_record(consumed + 1));
    return true;
  }

  // Another group may have read the same CQE: one of them completes it.
  HOST_DEVICE bool complete_among_groups(std::uint64_t consumed, std::uint64_t completed, work_status said) const {
    auto const next = consumed + 1;
    if (!shared<std::uint64_t>{parts_.cursors->consumed}.compare_exchange_strong(consumed, next,
                                                                                 cuda::memory_order_acq_rel))
      return true;
    if (said != work_status::done) note(said);
    // Before the room for new WQEs is known: their CQEs need room, too.
    detail::advance_record(*parts_.completion_record, next);
    shared<std::uint64_t>{parts_.cursors->completed}.fetch_max(completed, cuda::memory_order_acq_rel);
    return true;
  }

  queue_parts parts_;
};
static_assert(std::is_trivially_copyable_v<queue_pair_ref>);

}  // namespace packetwarp::rdma
