// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/detect/anomaly_journal.h"

#include <span>

namespace packetwarp {
namespace {

using detect_parts::anomaly_windows;
using detect_parts::flow_marks;

constexpr std::size_t state_bytes = sizeof(anomaly_windows) + anomaly_journal::marks * sizeof(flow_marks);

}  // namespace

anomaly_journal::anomaly_journal(std::size_t pipelines, table_place place)
    : rings_{pipelines, place}, state_{place, pipelines * state_bytes}, known_limited_(pipelines) {}

detect_parts::anomaly_ref anomaly_journal::ref(std::size_t pipeline) const {
  auto* const state = state_.data() + pipeline * state_bytes;
  return {.ring = rings_.ref(pipeline),
          .windows = reinterpret_cast<anomaly_windows*>(state),
          .marks = reinterpret_cast<flow_marks*>(state + sizeof(anomaly_windows))};
}

unrecorded_anomalies anomaly_journal::unrecorded() const {
  unrecorded_anomalies all{.lost = rings_.lost()};
  for (std::size_t n = 0; n < known_limited_.size(); ++n) {
    if (state_.is_on_gpu()) {
      anomaly_windows seen{};
      if (state_.read(n * state_bytes, std::as_writable_bytes(std::span{&seen, 1})) == copied::done)
        known_limited_[n] = seen.limited;
    } else {
      known_limited_[n] = ring_word{ref(n).windows->limited}.load(cuda::memory_order_relaxed);
    }
    all.limited += known_limited_[n];
  }
  return all;
}

void anomaly_journal::abandon() {
  rings_.abandon();
  state_.abandon();
}

}  // namespace packetwarp
