// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/inspection/alert_journal.h"

#include <cuda/atomic>

#include <cstddef>
#include <span>

namespace packetwarp {
namespace {

using inspection_parts::alert_cursors;
using inspection_parts::alert_record;
using alert_word = inspection_parts::alert_ref::word;

constexpr std::size_t alert_ring_bytes = alert_journal::records * sizeof(alert_record);
// Executors hear of free records a quarter of the ring at a time: each time is a copy to a GPU.
constexpr std::uint64_t alerts_told_at_once = alert_journal::records / 4;

}  // namespace

alert_journal::alert_journal(std::size_t pipelines, table_place place)
    : readers_(pipelines),
      rings_{{}, pipelines * alert_ring_bytes},
      state_{place, pipelines * sizeof(alert_cursors)},
      known_lost_(pipelines) {
  if (place.gpu == table_place::host) return;
  std::span const memory{rings_.data(), rings_.size()};
  pin_ = place.domain != nullptr ? place.domain->driver().pin(memory)
                                 : memory_registration{place.gpu, memory.data(), memory.size()};
}

inspection_parts::alert_ref alert_journal::ref(std::size_t pipeline) const {
  return {.records = reinterpret_cast<alert_record*>(rings_.data() + pipeline * alert_ring_bytes),
          .cursors = reinterpret_cast<alert_cursors*>(state_.data()) + pipeline,
          .record_mask = records - 1};
}

std::uint32_t alert_journal::read(std::size_t pipeline, std::uint32_t most, visitor const& visit) {
  auto& at = readers_[pipeline];
  auto* const ring = ref(pipeline).records;
  std::uint32_t seen = 0;
  for (; seen < most; ++seen) {
    auto& next = ring[at.read & (records - 1)];
    if (alert_word{next.ticket}.load(cuda::memory_order_acquire) != at.read + 1) break;
    visit(next.what);
    ++at.read;
  }
  if (at.read - at.told >= alerts_told_at_once) free_records(pipeline);
  return seen;
}

void alert_journal::free_records(std::size_t pipeline) {
  auto& at = readers_[pipeline];
  at.told = at.read;
  if (state_.is_on_gpu()) {
    auto const read_at = pipeline * sizeof(alert_cursors) + offsetof(alert_cursors, read);
    (void)state_.write(read_at, std::as_bytes(std::span{&at.told, 1}));
  } else {
    alert_word{ref(pipeline).cursors->read}.store(at.told, cuda::memory_order_release);
  }
}

std::uint64_t alert_journal::lost() const {
  std::uint64_t all = 0;
  for (std::size_t n = 0; n < known_lost_.size(); ++n) {
    if (state_.is_on_gpu()) {
      alert_cursors seen{};
      auto const into = std::as_writable_bytes(std::span{&seen, 1});
      if (state_.read(n * sizeof(alert_cursors), into) == copied::done) known_lost_[n] = seen.lost;
    } else {
      known_lost_[n] = alert_word{ref(n).cursors->lost}.load(cuda::memory_order_relaxed);
    }
    all += known_lost_[n];
  }
  return all;
}

void alert_journal::abandon() {
  rings_.abandon();
  pin_.abandon();
  state_.abandon();
}

}  // namespace packetwarp
