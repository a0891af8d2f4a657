// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "feature/access.h"
#include "feature/feature_state.h"
#include "feature/packet_keys.h"
#include "feature/packet_records.h"
#include "feature/state_table.h"

// A thread of a GPU waits for memory at each step of a search, some hundred nanoseconds. So it searches for a packet's
// three records side by side: each step's accesses are on their way before the first of them is waited for, and one
// fence serves all. The records and the tables are those of find_or_insert(), which takes over wherever a search meets
// something rare: a full bucket, or another thread.
namespace packetwarp::feature {
namespace detail {

// Rare steps are calls: their code is in a kernel once for each type of record, out of the way of the rest. The table
// comes by value: an address of it would put a kernel's tables into a thread's memory.
template <class Record>
[[nodiscard, gnu::noinline]] HOST_DEVICE Record* find_alone(table_ref<Record> table, std::uint64_t key,
                                                            std::uint64_t epoch) {
  return find_or_insert(table, key, epoch);
}
template <class Record>
[[gnu::noinline]] HOST_DEVICE void touch_alone(Record& record, std::uint64_t epoch) {
  touch(record, epoch);
}

// A search for one record. Its steps are called in the order in which they stand here.
template <class Record>
class record_search {
 public:
  HOST_DEVICE record_search(table_ref<Record> const& table, std::uint64_t key, std::uint64_t epoch)
      : table_{table}, key_{key}, epoch_{epoch} {}

  HOST_DEVICE void read_first_bucket() {
    static_assert(table_ref<Record>::bucket_places == 4);
    place_ = table_.place_of(key_, 0);
    front_ = load_two(table_.keys + place_);
    back_ = load_two(table_.keys + place_ + 2);
  }
  // Chooses the first place that has the key, or none, as look_up() does.
  HOST_DEVICE void choose_place() {
    std::uint64_t const keys[]{front_.first, front_.second, back_.first, back_.second};
    unsigned number = 0;
    while (number < 4 && keys[number] != key_ && keys[number] != 0) ++number;
    if (number == 4) {
      place_ = no_place;
      return;
    }
    place_ += number;
    takes_free_ = keys[number] == 0;
    if (takes_free_) seen_ = compare_exchange_relaxed(table_.keys[place_], std::uint64_t{0}, key_);
  }
  HOST_DEVICE void read_stamp() {
    if (takes_free_ && seen_ == 0) count(table_.counts->inserted);
    if (takes_free_ && seen_ != 0 && seen_ != key_) place_ = no_place;  // another key has taken it
    if (place_ != no_place) stamp_ = load(record().stamp);
  }
  // acquire_loaded() comes before it.
  HOST_DEVICE void claim_epoch() {
    needs_epoch_ = place_ != no_place && stamp_ >> 1 < epoch_;
    if (needs_epoch_ && !is_busy()) seen_ = compare_exchange_relaxed(record().stamp, stamp_, epoch_ << 1 | 1);
  }
  // Whether this thread has begun the epoch, and has to release it.
  [[nodiscard]] HOST_DEVICE bool begin_claimed() {
    has_begun_ = needs_epoch_ && !is_busy() && seen_ == stamp_;
    if (has_begun_) begin_epoch(record(), stamp_ >> 1, epoch_);
    return has_begun_;
  }
  // Between both loads of the key another one may have taken the record; none can once the epoch has begun in it.
  HOST_DEVICE void read_key() {
    if (place_ != no_place) key_there_ = load(table_.keys[place_]);
  }
  // release_stored() comes before it.
  HOST_DEVICE void release_epoch() {
    if (has_begun_) store(record().stamp, epoch_ << 1);
  }
  // Waits for a thread that begins the epoch, and only once this one keeps no other waiting.
  HOST_DEVICE void await_epoch() {
    if (place_ == no_place || has_begun_ || !(needs_epoch_ || is_busy())) return;
    touch_alone(record(), epoch_);
    key_there_ = load(table_.keys[place_]);
  }
  [[nodiscard]] HOST_DEVICE Record* found() const {
    if (place_ != no_place && key_there_ == key_) return &record();
    return find_alone(table_, key_, epoch_);
  }

 private:
  [[nodiscard]] HOST_DEVICE Record& record() const { return table_.records[place_]; }
  [[nodiscard]] HOST_DEVICE bool is_busy() const { return (stamp_ & 1) != 0; }

  table_ref<Record> const& table_;
  std::uint64_t key_;
  std::uint64_t epoch_;
  two_loads front_{};
  two_loads back_{};
  std::uint64_t place_{no_place};
  std::uint64_t stamp_{};
  std::uint64_t seen_{};  // by the step before, in place of the word that it expected
  std::uint64_t key_there_{};
  bool takes_free_{};
  bool needs_epoch_{};
  bool has_begun_{};
};

}  // namespace detail

// The packet's records, begun for the epoch. The tables are used as find_or_insert() says.
[[nodiscard]] HOST_DEVICE inline packet_records find_together(packet_keys const& keys, std::uint64_t epoch,
                                                              state_ref const& state) {
  detail::record_search flow{state.flows, keys.flow, epoch};
  detail::record_search source{state.hosts, keys.source, epoch};
  detail::record_search destination{state.hosts, keys.destination, epoch};
  auto const each = [&](auto const& step) {
    step(flow);
    step(source);
    step(destination);
  };
  each([](auto& one) { one.read_first_bucket(); });
  each([](auto& one) { one.choose_place(); });
  each([](auto& one) { one.read_stamp(); });
  acquire_loaded();
  each([](auto& one) { one.claim_epoch(); });
  bool has_begun = false;
  each([&has_begun](auto& one) { has_begun |= one.begin_claimed(); });
  each([](auto& one) { one.read_key(); });
  if (has_begun) release_stored();
  each([](auto& one) { one.release_epoch(); });
  each([](auto& one) { one.await_epoch(); });
  return {.flow = flow.found(), .source = source.found(), .destination = destination.found()};
}

}  // namespace packetwarp::feature
