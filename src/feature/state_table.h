// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "feature/access.h"
#include "feature/epoch_record.h"

namespace packetwarp::feature {

// Totals since the table was made.
struct table_counts {
  std::uint64_t inserted;   // records that took a free place
  std::uint64_t replaced;   // records that took another one's place
  std::uint64_t untracked;  // packets for which there was no place
  std::uint64_t reserved[5];
};
static_assert(sizeof(table_counts) == 64);

// A hash table of records in memory of a fixed size, all of it zeroes at first. A key has eight places, in two buckets,
// and a record keeps its place until another takes it. A view: trivially copyable, for CPU and GPU code.
template <class Record>
struct table_ref {
  static constexpr std::uint32_t bucket_places = 4;
  static constexpr std::uint32_t places = 2 * bucket_places;  // of a key

  std::uint64_t* keys;   // [buckets][bucket_places]; 0: free
  Record* records;       // the same
  std::uint32_t* locks;  // [buckets]: 1 while a thread replaces a record for a key with this first bucket
  table_counts* counts;
  std::uint64_t bucket_mask;  // buckets - 1: two buckets at least, a power of two

  // The number of a key's place, in the order in which places are searched and taken.
  [[nodiscard]] HOST_DEVICE std::uint64_t place_of(std::uint64_t key, std::uint32_t number) const {
    auto const first = first_bucket(key);
    auto second = key >> 32 & bucket_mask;
    if (second == first) second ^= 1;
    return (number < bucket_places ? first : second) * bucket_places + number % bucket_places;
  }
  [[nodiscard]] HOST_DEVICE std::uint64_t first_bucket(std::uint64_t key) const { return key & bucket_mask; }
};

namespace detail {

inline constexpr std::uint64_t no_place = ~std::uint64_t{0};

// The place with this key, or the first free one, or no_place.
template <class Record>
[[nodiscard]] HOST_DEVICE std::uint64_t look_up(table_ref<Record> const& table, std::uint64_t key) {
  for (std::uint32_t number = 0; number < table.places; ++number) {
    auto const place = table.place_of(key, number);
    auto const there = load(table.keys[place]);
    if (there == key || there == 0) return place;
  }
  return no_place;
}

struct victim {
  std::uint64_t place{no_place};
  std::uint64_t stamp{};
  std::uint64_t weight{};
};

// The record that has been idle for the longest, where one with packets of both directions counts a sixteenth: a flood
// of forged senders replaces its own records. If that one has been used lately, none can go: a packet that is being
// worked on may use it, and an older conversation must not make room for the flood instead.
template <class Record>
[[nodiscard]] HOST_DEVICE victim find_victim(table_ref<Record> const& table, std::uint64_t key, std::uint64_t epoch) {
  constexpr std::uint64_t kept_epochs = 3;
  victim found;
  for (std::uint32_t number = 0; number < table.places; ++number) {
    auto const place = table.place_of(key, number);
    auto& record = table.records[place];
    auto const stamp = load_acquire(record.stamp);
    bool const is_busy = (stamp & 1) != 0;
    bool const is_unused = stamp == 0;  // its key has just come
    if (is_busy || is_unused) continue;
    auto const used = stamp >> 1;
    // All records that cannot go are equally young: a faster flood does not make conversations look older.
    auto const idle = used + kept_epochs <= epoch ? epoch - used : kept_epochs - 1;
    auto const weight = load(record.ways) == Record::both_ways ? idle : 16 * idle;
    if (weight > found.weight) found = {place, stamp, weight};
  }
  return found.place == no_place || (found.stamp >> 1) + kept_epochs <= epoch ? found : victim{};
}

enum class replacing : std::uint8_t { done, refused, again };

// Puts the key in another one's place. The first bucket's lock keeps two threads from doing so for one key.
template <class Record>
[[nodiscard]] HOST_DEVICE replacing replace(table_ref<Record> const& table, std::uint64_t key, std::uint64_t epoch) {
  auto& lock = table.locks[table.first_bucket(key)];
  if (compare_exchange(lock, std::uint32_t{0}, std::uint32_t{1}) != 0) return replacing::again;
  auto outcome = replacing::again;
  if (look_up(table, key) == no_place) {
    auto const found = find_victim(table, key, epoch);
    if (found.place == no_place) {
      outcome = replacing::refused;
    } else if (auto& record = table.records[found.place];
               compare_exchange(record.stamp, found.stamp, epoch << 1 | 1) == found.stamp) {
      store_release(table.keys[found.place], key);
      store_release(record.ways, std::uint64_t{0});
      for (unsigned n = 0; n < 2; ++n) {
        record.snapshots[n] = {};
        record.all_adds[n] = {};
      }
      store_release(record.stamp, epoch << 1);
      outcome = replacing::done;
    }
  }
  store_release(lock, std::uint32_t{0});
  return outcome;
}

}  // namespace detail

// The key's record, begun for the epoch; a new one if the table has none; null if there is no place for it, which is
// counted. Which of several new keys of one epoch get the last places of full buckets is up to the order in which
// packets are worked on, and so is whether a record that was idle goes or stays if its own packet comes in this epoch.
// Everything else is the same in any order.
template <class Record>
[[nodiscard]] HOST_DEVICE Record* find_or_insert(table_ref<Record> const& table, std::uint64_t key,
                                                 std::uint64_t epoch) {
  for (;;) {
    auto const place = detail::look_up(table, key);
    if (place == detail::no_place) {
      auto const outcome = detail::replace(table, key, epoch);
      if (outcome == detail::replacing::done) count(table.counts->replaced);
      if (outcome != detail::replacing::refused) continue;
      count(table.counts->untracked);
      return nullptr;
    }
    auto const there = load(table.keys[place]);
    if (there == 0) {
      // Two threads with one key take the same free place: no place before it has become free meanwhile.
      if (compare_exchange(table.keys[place], std::uint64_t{0}, key) != 0) continue;
      count(table.counts->inserted);
    } else if (there != key) {
      continue;  // another key has taken the free place
    }
    touch(table.records[place], epoch);
    // Between both loads of the key another one may have taken the record; none can from now on.
    if (load(table.keys[place]) == key) return &table.records[place];
  }
}

// The same for a thread of the CPU that has looked the key up before: place is what detail::look_up() returned. Packets
// that came meanwhile, also of other threads, may have changed the place; then the key is looked up again.
template <class Record>
[[nodiscard]] HOST_DEVICE Record* find_or_insert(table_ref<Record> const& table, std::uint64_t key, std::uint64_t epoch,
                                                 std::uint64_t place) {
  if (place == detail::no_place || load(table.keys[place]) != key) {
    return find_or_insert(table, key, epoch);
  }
  touch(table.records[place], epoch);
  return load(table.keys[place]) == key ? &table.records[place] : find_or_insert(table, key, epoch);
}

}  // namespace packetwarp::feature
