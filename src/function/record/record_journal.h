// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "function/record/record_ring.h"
#include "function/record/ring_memory.h"

namespace packetwarp {

// Owns the rings by which the executors of a place send records to the master
// (function/record/record_ring.h), one per pipeline. For a single thread. Records: of a ring, a power of
// two.
template <class What, std::uint32_t Records>
class record_journal {
 public:
  using ref_type = record_ring_ref<What>;
  static constexpr std::uint32_t records = Records;
  static constexpr std::size_t ring_bytes = Records * sizeof(ring_record<What>);  // per pipeline

  // Throws failure if the memory is not available.
  record_journal(std::size_t pipelines, table_place place)
      : readers_(pipelines), memory_{pipelines, ring_bytes, place} {}

  // For the n-th pipeline of this place.
  [[nodiscard]] ref_type ref(std::size_t pipeline) const {
    return {.records = reinterpret_cast<ring_record<What>*>(memory_.ring(pipeline)),
            .cursors = memory_.cursors(pipeline),
            .record_mask = records - 1};
  }

  // Calls visit(What const&) with the pipeline's next records, `most` at most; returns how many. Works for a lost GPU,
  // too.
  template <class Visit>
  std::uint32_t read(std::size_t pipeline, std::uint32_t most, Visit&& visit) {
    if (is_closed_) return 0;
    auto& at = readers_[pipeline];
    auto* const ring = ref(pipeline).records;
    std::uint32_t seen = 0;
    for (; seen < most; ++seen) {
      auto& next = ring[at.read & (records - 1)];
      if (ring_word{next.ticket}.load(cuda::memory_order_acquire) != at.read + 1) break;
      visit(std::as_const(next.what));
      ++at.read;
    }
    if (at.read - at.told >= told_at_once) {
      at.told = at.read;
      memory_.free_before(pipeline, at.told);
    }
    return seen;
  }

  // The ticket of the record that read() visits now.
  [[nodiscard]] std::uint64_t visited_ticket(std::size_t pipeline) const { return readers_[pipeline].read + 1; }

  // Records of all pipelines that found no room. For a lost GPU, as last read.
  [[nodiscard]] std::uint64_t lost() const { return memory_.lost(); }

  // From then on nothing is read: for a lost GPU, whose kernel may still write records that mean nothing any more.
  void close() { is_closed_ = true; }
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }
  // Leaves the memory to the process: a kernel that nothing can end may still use it.
  void abandon() { memory_.abandon(); }

 private:
  static_assert((Records & (Records - 1)) == 0);
  // Executors hear of free records a quarter of the ring at a time: each time is a copy to a GPU.
  static constexpr std::uint64_t told_at_once = Records / 4;

  struct reader {
    std::uint64_t read{};
    std::uint64_t told{};  // to the executors
  };

  std::vector<reader> readers_;  // by pipeline
  ring_memory memory_;
  bool is_closed_{};
};

}  // namespace packetwarp
