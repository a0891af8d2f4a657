// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/detect/anomaly_journal.h"

#include <cuda/atomic>

#include <span>

namespace packetwarp {
namespace {

using detect_parts::anomaly_cursors;
using detect_parts::anomaly_record;
using detect_parts::flow_mark;
using shared_word = detect_parts::anomaly_ref::word;

constexpr std::size_t ring_bytes = anomaly_journal::records * sizeof(anomaly_record);
constexpr std::size_t state_bytes = sizeof(anomaly_cursors) + anomaly_journal::marks * sizeof(flow_mark);
// Executors hear of free records a quarter of the ring at a time: each time is a copy to a GPU.
constexpr std::uint64_t told_at_once = anomaly_journal::records / 4;

}  // namespace

anomaly_journal::anomaly_journal(std::size_t pipelines, table_place place)
    : readers_(pipelines),
      rings_{{}, pipelines * ring_bytes},
      state_{place, pipelines * state_bytes},
      known_(pipelines) {
  if (place.gpu == table_place::host) return;
  std::span const memory{rings_.data(), rings_.size()};
  pin_ = place.domain != nullptr ? place.domain->driver().pin(memory)
                                 : memory_registration{place.gpu, memory.data(), memory.size()};
}

std::size_t anomaly_journal::cursors_at(std::size_t pipeline) const { return pipeline * state_bytes; }

detect_parts::anomaly_ref anomaly_journal::ref(std::size_t pipeline) const {
  auto* const state = state_.data() + cursors_at(pipeline);
  return {.records = reinterpret_cast<anomaly_record*>(rings_.data() + pipeline * ring_bytes),
          .cursors = reinterpret_cast<anomaly_cursors*>(state),
          .marks = reinterpret_cast<flow_mark*>(state + sizeof(anomaly_cursors)),
          .record_mask = records - 1,
          .mark_mask = marks - 1};
}

std::uint32_t anomaly_journal::read(std::size_t pipeline, std::uint32_t most, visitor const& visit) {
  auto& at = readers_[pipeline];
  auto* const ring = ref(pipeline).records;
  std::uint32_t seen = 0;
  for (; seen < most; ++seen) {
    auto& next = ring[at.read & (records - 1)];
    if (shared_word{next.ticket}.load(cuda::memory_order_acquire) != at.read + 1) break;
    visit(next.what);
    ++at.read;
  }
  if (at.read - at.told >= told_at_once) free_records(pipeline);
  return seen;
}

void anomaly_journal::free_records(std::size_t pipeline) {
  auto& at = readers_[pipeline];
  at.told = at.read;
  if (state_.is_on_gpu()) {
    (void)state_.write(cursors_at(pipeline) + offsetof(anomaly_cursors, read), std::as_bytes(std::span{&at.told, 1}));
  } else {
    shared_word{ref(pipeline).cursors->read}.store(at.told, cuda::memory_order_release);
  }
}

unrecorded_anomalies anomaly_journal::unrecorded() const {
  unrecorded_anomalies all;
  for (std::size_t n = 0; n < known_.size(); ++n) {
    if (state_.is_on_gpu()) {
      anomaly_cursors seen{};
      if (state_.read(cursors_at(n), std::as_writable_bytes(std::span{&seen, 1})) == copied::done)
        known_[n] = {.lost = seen.lost, .limited = seen.limited};
    } else {
      auto& cursors = *ref(n).cursors;
      known_[n] = {.lost = shared_word{cursors.lost}.load(cuda::memory_order_relaxed),
                   .limited = shared_word{cursors.limited}.load(cuda::memory_order_relaxed)};
    }
    all.lost += known_[n].lost;
    all.limited += known_[n].limited;
  }
  return all;
}

std::size_t anomaly_journal::bytes() const { return rings_.size() + state_.size(); }

void anomaly_journal::abandon() {
  rings_.abandon();
  pin_.abandon();
  state_.abandon();
}

}  // namespace packetwarp
