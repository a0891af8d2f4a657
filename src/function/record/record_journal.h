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
    std::uint32_t seen = 0;
    while (seen < most) {
      if (is_published(pipeline, at.read)) {
        visit(std::as_const(record(pipeline, at.read).what));
        ++seen;
      } else if (at.read < at.end) {
        ++passed_;
      } else {
        break;
      }
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

  // Records of all pipelines that found no room, as last read if the GPU is lost; and records that it has not ended
  // before the last whole one.
  [[nodiscard]] std::uint64_t lost() const { return memory_.lost() + passed_; }

  // The GPU that writes is lost: read() passes over records that it has begun and not ended, up to the last whole one.
  void pass_unfinished() {
    for (std::size_t n = 0; n < readers_.size(); ++n) {
      auto& at = readers_[n];
      for (auto next = at.read; next != at.read + records; ++next) {
        if (is_published(n, next)) at.end = next;
      }
    }
  }
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
    std::uint64_t end{};   // with a lost GPU: the last whole record
  };

  [[nodiscard]] ring_record<What>& record(std::size_t pipeline, std::uint64_t n) const {
    return ref(pipeline).records[n & (records - 1)];
  }
  [[nodiscard]] bool is_published(std::size_t pipeline, std::uint64_t n) const {
    return ring_word{record(pipeline, n).ticket}.load(cuda::memory_order_acquire) == n + 1;
  }

  std::vector<reader> readers_;  // by pipeline
  ring_memory memory_;
  bool is_closed_{};
  std::uint64_t passed_{};  // records that a lost GPU has not ended
};

}  // namespace packetwarp
