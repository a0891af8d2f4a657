// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "feature/feature_state.h"
#include "function/detect/anomaly.h"
#include "model/integer_network.h"

// The memory in which executors find the models of `detect`, and what they count.
namespace packetwarp {

// Models that judge each packet side by side.
inline constexpr unsigned most_detect_models = 4;

// The fate of a packet that the first model calls anomalous.
enum class detect_action : std::uint32_t {
  count,  // it goes on
  mark,   // it goes on with another DSCP
  punt,   // it goes to the control plane
  drop,
  answer,     // it goes back to its sender (wire/answer.h)
  answer_all  // all packets go back, normal ones too
};

// A packet is anomalous if its score is above the threshold. If a model has several scores per packet, this is the
// largest of the others less the first one: class 0 is normal traffic.
struct detect_model {
  model::network_ref network;
  std::int64_t threshold;
};

// Models that are in force together. The first one decides; the others judge each packet, too, and are only counted.
struct detect_set {
  detect_model models[most_detect_models];
  std::uint32_t count;
  detect_action action;
  std::uint32_t dscp;  // for detect_action::mark
  // By window (function/detect/anomaly.h), of each pipeline.
  std::uint32_t most_records;  // of flows with anomalous packets; 0: no flow is recorded
  std::uint32_t most_punts;    // for detect_action::punt
  std::uint32_t reserved;
};
static_assert(std::is_trivially_copyable_v<detect_set>);

// The set that applies, and room for the next one. A set is only written while no packet uses it, so packets in flight
// see only `current` change.
struct alignas(64) detect_root {
  detect_set sets[2];
  alignas(64) std::uint64_t current;  // 0 or 1

  [[nodiscard]] HOST_DEVICE detect_set const& in_force() const noexcept {
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> const word{const_cast<std::uint64_t&>(current)};
#if defined(__CUDA_ARCH__)
    // The set was complete before the packet's burst was submitted (detect_table::prepare).
    return sets[word.load(cuda::memory_order_relaxed) & 1];
#else
    return sets[word.load(cuda::memory_order_acquire) & 1];
#endif
  }
};
static_assert(std::is_trivially_copyable_v<detect_root>);

// By one model on one pipeline, since the start; a model that takes another's place goes on with its counts.
struct detect_count {
  std::uint64_t judged;     // packets
  std::uint64_t anomalous;  // of them
};

// A view of a detect_table for the packets of one pipeline. Valid as long as the table.
struct detect_ref {
  detect_root const* root;
  detect_count* counts;  // [most_detect_models]
  feature::state_ref state;
  detect_parts::anomaly_ref journal;
  std::uint16_t ingress{};  // position of the port that packets come in by among the plan's
};
static_assert(std::is_trivially_copyable_v<detect_ref>);

}  // namespace packetwarp
