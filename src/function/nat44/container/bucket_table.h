// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/std/bit>
#if defined(__SSE4_1__) && !defined(__CUDA_ARCH__)
#include <immintrin.h>
#endif

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "base/thread/thread_sanitizer.h"
#include "function/nat44/container/shared_word.h"

namespace packetwarp::nat {

// A line of memory: seven entries, and the lock and the count of one bucket. An entry is a tag of the key's hash above
// the number of a record, which holds the key; 0 is none.
struct alignas(64) bucket {
  static constexpr unsigned size = 7;

  std::uint64_t control;  // bit 0: locked. Above it: entries that belong here and lie in a later bucket
  std::uint64_t entries[size];
};
static_assert(sizeof(bucket) == 64 && std::is_trivially_copyable_v<bucket>);

// A map from keys to numbers of records. Any thread looks up, inserts and removes, at any time. A lookup waits for no
// other thread; an insertion or removal holds the lock of the key's first bucket for a few accesses, so that no key is
// ever in twice.
class bucket_table {
 public:
  // Buckets after the first that a key may lie in. With four entries per bucket on average, more than one is rare.
  static constexpr std::uint32_t max_probes = 16;

  HOST_DEVICE constexpr bucket_table(bucket* buckets, std::uint32_t mask) : buckets_{buckets}, mask_{mask} {}

  // The record among the records with this hash for which has_key is true; 0 if none is.
  template <class HasKey>
  [[nodiscard]] HOST_DEVICE std::uint32_t find(std::uint64_t hash, HasKey&& has_key) const {
    for (std::uint32_t probe = 0; probe < max_probes; ++probe) {
      auto const& here = at(hash, probe);
      auto const seen = look_at(here, tag_of(hash));
      // Two entries of a bucket hardly ever have the same tag, so the loop runs once or not at all.
      for (auto hits = seen.hits; hits != 0; hits &= hits - 1) {
        auto const n = record_in(here, hits);
        if (n != 0 && has_key(n)) return n;
      }
      if (seen.control >> 1 == 0) return 0;
    }
    return 0;
  }

  // The record that find() would test first, if the bucket of the hash has one; 0 otherwise. Only a hint.
  [[nodiscard]] HOST_DEVICE std::uint32_t guess(std::uint64_t hash) const {
    auto const& here = at(hash, 0);
    auto const hits = look_at(here, tag_of(hash)).hits;
    return hits == 0 ? 0 : record_in(here, hits);
  }

  // The record for which has_key is true, or else the record that make() gives, which is inserted. For a key, make()
  // runs in one thread at a time; other threads that wait for it leave as soon as they find its record. 0: make() gave
  // 0, or the table has no room. A thread that finds the record sees its content.
  template <class HasKey, class Make>
  [[nodiscard]] HOST_DEVICE std::uint32_t find_or_insert(std::uint64_t hash, HasKey&& has_key, Make&& make) const {
    while (!try_lock(hash)) {
      if (auto const there = find(hash, has_key); there != 0) return there;
    }
    auto there = find(hash, has_key);
    if (there == 0) {
      auto const made = make();
      if (made != 0 && place(hash, tag_of(hash) << 32 | made)) there = made;
    }
    unlock(hash);
    return there;
  }

  // False: it was not in the table.
  HOST_DEVICE bool remove(std::uint64_t hash, std::uint32_t record) const {
    while (!try_lock(hash)) {
    }
    bool const was_there = take_out(hash, tag_of(hash) << 32 | record);
    unlock(hash);
    return was_there;
  }

  // Starts the fetch of the line that a lookup of this hash needs. GCC 12 takes a call that does nothing else for one
  // that does nothing.
  [[gnu::always_inline]] HOST_DEVICE void prefetch(std::uint64_t hash) const {
#if !defined(__CUDA_ARCH__)
    __builtin_prefetch(&at(hash, 0));
#endif
  }

 private:
  static constexpr std::uint64_t locked = 1;
  static constexpr std::uint64_t one_behind = 2;

  [[nodiscard]] HOST_DEVICE bucket& at(std::uint64_t hash, std::uint32_t probe) const {
    return buckets_[(static_cast<std::uint32_t>(hash) + probe) & mask_];
  }
  [[nodiscard]] HOST_DEVICE static constexpr std::uint64_t tag_of(std::uint64_t hash) { return hash >> 32; }

  // hits: a bit for each entry with the tag.
  struct glance {
    std::uint64_t control;
    std::uint32_t hits;
  };
  [[nodiscard]] HOST_DEVICE static glance look_at(bucket const& here, std::uint64_t tag) {
    auto const* const words = &here.control;
#if defined(__SSE4_1__) && !defined(__CUDA_ARCH__) && !defined(PACKETWARP_THREAD_SANITIZER)
    // Compares the upper halves of all words at once. A word lies in one aligned load and is whole; hits are read
    // again.
    auto const* const pairs = reinterpret_cast<__m128 const*>(words);
    auto const tags = _mm_set1_epi32(static_cast<int>(tag));
    auto const upper = [pairs](int at) {
      return _mm_castps_si128(_mm_shuffle_ps(pairs[at], pairs[at + 1], _MM_SHUFFLE(3, 1, 3, 1)));
    };
    auto const equal = _mm_packs_epi32(_mm_cmpeq_epi32(upper(0), tags), _mm_cmpeq_epi32(upper(2), tags));
    auto const hits = static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(equal, _mm_setzero_si128())));
    return {load_leading(here.control), hits >> 1};
#else
    auto const a = load_pair(words);
    auto const b = load_pair(words + 2);
    auto const c = load_pair(words + 4);
    auto const d = load_pair(words + 6);
    auto const is_hit = [tag](std::uint64_t entry) { return entry >> 32 == tag ? 1U : 0U; };
    return {a.first, is_hit(a.second) | is_hit(b.first) << 1 | is_hit(b.second) << 2 | is_hit(c.first) << 3 |
                         is_hit(c.second) << 4 | is_hit(d.first) << 5 | is_hit(d.second) << 6};
#endif
  }
  // The record of the first hit, read again.
  [[nodiscard]] HOST_DEVICE static std::uint32_t record_in(bucket const& here, std::uint32_t hits) {
    return static_cast<std::uint32_t>(load_leading(here.entries[cuda::std::countr_zero(hits)]));
  }

  [[nodiscard]] HOST_DEVICE bool try_lock(std::uint64_t hash) const {
    auto const control = shared(at(hash, 0).control);
    if ((control.load(cuda::memory_order_relaxed) & locked) != 0) return false;
    return (control.fetch_or(locked, cuda::memory_order_acquire) & locked) == 0;
  }
  HOST_DEVICE void unlock(std::uint64_t hash) const {
    shared(at(hash, 0).control).fetch_and(~locked, cuda::memory_order_release);
  }

  // Needs the lock. Other keys' entries may lie in the same buckets, so an entry is claimed by a compare-and-swap; the
  // buckets before it count it first, so that a lookup goes on to it.
  [[nodiscard]] HOST_DEVICE bool place(std::uint64_t hash, std::uint64_t entry) const {
    for (std::uint32_t probe = 0; probe < max_probes; ++probe) {
      for (auto& one : at(hash, probe).entries) {
        auto const slot = shared(one);
        std::uint64_t empty = 0;
        if (slot.load(cuda::memory_order_relaxed) == 0 &&
            slot.compare_exchange_strong(empty, entry, cuda::memory_order_release, cuda::memory_order_relaxed)) {
          return true;
        }
      }
      shared(at(hash, probe).control).fetch_add(one_behind, cuda::memory_order_acq_rel);
    }
    count_down(hash, max_probes);
    return false;
  }
  [[nodiscard]] HOST_DEVICE bool take_out(std::uint64_t hash, std::uint64_t entry) const {
    for (std::uint32_t probe = 0; probe < max_probes; ++probe) {
      for (auto& one : at(hash, probe).entries) {
        auto const slot = shared(one);
        if (slot.load(cuda::memory_order_relaxed) != entry) continue;
        slot.store(0, cuda::memory_order_release);
        count_down(hash, probe);
        return true;
      }
    }
    return false;
  }
  HOST_DEVICE void count_down(std::uint64_t hash, std::uint32_t buckets) const {
    for (std::uint32_t probe = 0; probe < buckets; ++probe) {
      shared(at(hash, probe).control).fetch_sub(one_behind, cuda::memory_order_acq_rel);
    }
  }

  bucket* buckets_;
  std::uint32_t mask_;
};

}  // namespace packetwarp::nat
