// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "feature/access.h"

namespace packetwarp::feature {

// Epochs: milliseconds, counted from 1 (burst::epoch). While packets of an epoch e are worked on, others of their ring
// can only be of e - 1 or e + 1, and all of its packets of earlier epochs are done. The same is true of packets of
// other rings unless one of them is late by a millisecond or more: its packets then add to an epoch that has begun
// meanwhile, or, if they come while a record begins one, may be left out of that record's counts.
//
// A packet of epoch e is judged by the state after all epochs up to e - 2, the snapshot of e, and adds to epoch e by
// operations whose order does not matter. So each packet's row, and the state, are the same in whatever order an
// executor works on packets, and no executor waits for another.

// A rate halves whenever the snapshot's epoch passes a multiple of this, and a set of distinct things is emptied
// whenever it passes a multiple of the other.
inline constexpr unsigned half_life_bits = 8;  // 256 ms
inline constexpr unsigned set_life_bits = 10;  // 1,024 ms

// How often a rate halves on the way from one snapshot to another.
[[nodiscard]] HOST_DEVICE constexpr unsigned halvings(std::uint64_t from, std::uint64_t to) noexcept {
  auto const crossed = (to >> half_life_bits) - (from >> half_life_bits);
  return crossed < 32 ? static_cast<unsigned>(crossed) : 32U;
}
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t halved(std::uint32_t rate, unsigned times) noexcept {
  return times < 32 ? rate >> times : 0;
}
[[nodiscard]] HOST_DEVICE constexpr bool empties_sets(std::uint64_t from, std::uint64_t to) noexcept {
  return from >> set_life_bits != to >> set_life_bits;
}

// The state of one thing in a table: two snapshots, and the adds of two epochs. Epoch e has the ones with the number
// e & 1. Packets read the snapshot and write the adds, so they are in lines of memory of their own where that needs no
// padding: a core does not wait for a snapshot because another one has added to the record.
// State and Adds are flow_state and flow_adds, or host_state and host_adds: plain words, of which zeroes mean "nothing
// yet", with
//   merge(State&, Adds const&, epoch): the state with the adds of an epoch, the next one that it lacks;
//   age(State&, from, to): the snapshot of epoch `to` made of that of `from`, if nothing was added in between.
template <class State, class Adds>
struct alignas(64) epoch_record {
  using state = State;

  std::uint64_t stamp;  // 2 x the latest epoch of a packet that has used the record, + 1 while that is being begun
  std::uint64_t ways;   // bits: directions of its packets; both are both_ways
  State snapshots[2];
  Adds all_adds[2];

  static constexpr std::uint64_t both_ways = 3;

  // Part by part: GCC makes a slow loop of one assignment of the whole.
  HOST_DEVICE void begin(std::uint64_t epoch, State const& made) {
    snapshots[epoch & 1] = made;
    all_adds[epoch & 1] = Adds{};
  }
  [[nodiscard]] HOST_DEVICE State& snapshot(std::uint64_t epoch) { return snapshots[epoch & 1]; }
  [[nodiscard]] HOST_DEVICE State const& snapshot(std::uint64_t epoch) const { return snapshots[epoch & 1]; }
  [[nodiscard]] HOST_DEVICE Adds& adds(std::uint64_t epoch) { return all_adds[epoch & 1]; }
  [[nodiscard]] HOST_DEVICE Adds const& adds(std::uint64_t epoch) const { return all_adds[epoch & 1]; }
};

// Begins an epoch in a record whose latest one was `last`. The caller has marked the stamp as busy.
template <class State, class Adds>
HOST_DEVICE void begin_epoch(epoch_record<State, Adds>& record, std::uint64_t last, std::uint64_t epoch) {
  // No packet adds to epoch last - 1 any more, because it is epoch - 2 or earlier.
  State one_on = record.snapshot(last);
  merge(one_on, record.adds(last + 1), last - 1);
  age(one_on, last, last + 1);
  if (epoch == last + 1) {
    record.begin(epoch, one_on);  // packets of `last` may still use the other ones
    return;
  }
  State two_on = one_on;
  merge(two_on, record.adds(last), last);
  age(two_on, last + 1, last + 2);
  if (epoch == last + 2) {
    record.begin(epoch - 1, one_on);
    record.begin(epoch, two_on);
    return;
  }
  age(two_on, last + 2, epoch - 1);
  record.begin(epoch - 1, two_on);
  age(two_on, epoch - 1, epoch);
  record.begin(epoch, two_on);
}

// Makes the record one of `epoch`, or a later one, before a packet of this epoch uses what belongs to it. The lane of a
// GPU that begins the epoch releases the record before any lane looks at it again, so that lanes of one warp do not
// wait for each other in a circle.
template <class State, class Adds>
HOST_DEVICE void touch(epoch_record<State, Adds>& record, std::uint64_t epoch) {
  for (;;) {
    auto const stamp = load_acquire(record.stamp);
    bool const is_busy = (stamp & 1) != 0;
    if (!is_busy && stamp >> 1 >= epoch) return;
    if (!is_busy && compare_exchange(record.stamp, stamp, epoch << 1 | 1) == stamp) {
      begin_epoch(record, stamp >> 1, epoch);
      store_release(record.stamp, epoch << 1);
    }
  }
}

}  // namespace packetwarp::feature
