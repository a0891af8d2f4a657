// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "function/inspection/record/record_ring.h"
#include "gpu/gpu.h"
#include "memory/table_memory.h"

namespace packetwarp {

// Owns the rings by which the executors of a place send records to the master
// (function/inspection/record/record_ring.h), one per pipeline. For a single thread. Records: of a ring, a power of
// two.
template <class What, std::uint32_t Records>
class record_journal {
 public:
  using ref_type = inspection_parts::record_ring_ref<What>;
  static constexpr std::uint32_t records = Records;
  static constexpr std::size_t ring_bytes = Records * sizeof(inspection_parts::ring_record<What>);  // per pipeline

  // Throws failure if the memory is not available.
  record_journal(std::size_t pipelines, table_place place)
      : readers_(pipelines),
        rings_{{}, pipelines * ring_bytes},
        state_{place, pipelines * sizeof(inspection_parts::ring_cursors)},
        known_lost_(pipelines) {
    if (place.gpu == table_place::host || pipelines == 0) return;
    std::span const memory{rings_.data(), rings_.size()};
    pin_ = place.domain != nullptr ? place.domain->driver().pin(memory)
                                   : memory_registration{place.gpu, memory.data(), memory.size()};
  }

  // For the n-th pipeline of this place.
  [[nodiscard]] ref_type ref(std::size_t pipeline) const {
    return {.records = reinterpret_cast<inspection_parts::ring_record<What>*>(rings_.data() + pipeline * ring_bytes),
            .cursors = reinterpret_cast<inspection_parts::ring_cursors*>(state_.data()) + pipeline,
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
      if (word{next.ticket}.load(cuda::memory_order_acquire) != at.read + 1) break;
      visit(std::as_const(next.what));
      ++at.read;
    }
    if (at.read - at.told >= told_at_once) free_records(pipeline);
    return seen;
  }

  // The ticket of the record that read() visits now.
  [[nodiscard]] std::uint64_t visited_ticket(std::size_t pipeline) const { return readers_[pipeline].read + 1; }

  // Records of all pipelines that found no room. For a lost GPU, as last read.
  [[nodiscard]] std::uint64_t lost() const {
    std::uint64_t all = 0;
    for (std::size_t n = 0; n < known_lost_.size(); ++n) {
      if (state_.is_on_gpu()) {
        inspection_parts::ring_cursors seen{};
        auto const into = std::as_writable_bytes(std::span{&seen, 1});
        if (state_.read(n * sizeof seen, into) == copied::done) known_lost_[n] = seen.lost;
      } else {
        known_lost_[n] = word{ref(n).cursors->lost}.load(cuda::memory_order_relaxed);
      }
      all += known_lost_[n];
    }
    return all;
  }

  // From then on nothing is read: for a lost GPU, whose kernel may still write records that mean nothing any more.
  void close() { is_closed_ = true; }
  [[nodiscard]] std::size_t bytes() const { return rings_.size() + state_.size(); }
  // Leaves the memory to the process: a kernel that nothing can end may still use it.
  void abandon() {
    rings_.abandon();
    pin_.abandon();
    state_.abandon();
  }

 private:
  using word = typename ref_type::word;
  static_assert((Records & (Records - 1)) == 0);
  // Executors hear of free records a quarter of the ring at a time: each time is a copy to a GPU.
  static constexpr std::uint64_t told_at_once = Records / 4;

  struct reader {
    std::uint64_t read{};
    std::uint64_t told{};  // as the cursors say it
  };
  void free_records(std::size_t pipeline) {
    auto& at = readers_[pipeline];
    at.told = at.read;
    if (state_.is_on_gpu()) {
      auto const read_at =
          pipeline * sizeof(inspection_parts::ring_cursors) + offsetof(inspection_parts::ring_cursors, read);
      (void)state_.write(read_at, std::as_bytes(std::span{&at.told, 1}));
    } else {
      word{ref(pipeline).cursors->read}.store(at.told, cuda::memory_order_release);
    }
  }

  std::vector<reader> readers_;                    // by pipeline
  table_memory rings_;                             // in the host's memory
  memory_registration pin_;                        // of the rings
  table_memory state_;                             // cursors of each pipeline
  mutable std::vector<std::uint64_t> known_lost_;  // by pipeline, as last read
  bool is_closed_{};
};

}  // namespace packetwarp
