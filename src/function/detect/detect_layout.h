// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "feature/feature_state.h"
#include "function/detect/anomaly.h"
#include "function/group.h"
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
  answer,      // it goes back to its sender (wire/answer.h)
  answer_all,  // all packets go back, normal ones too
  mirror       // it goes on, and a copy of it as it was received leaves by the mirror port
};

// A packet is anomalous if its score is above the threshold. If a model has several scores per packet, this is the
// largest of the others less the first one: class 0 is normal traffic.
struct detect_model {
  model::network_ref network;
  std::int64_t threshold;
};

// A large model, which judges packets of a flow that the first model is not sure of (second_look.h).
struct detect_large {
  static constexpr unsigned most_milestones = 4;

  detect_model model;
  std::int64_t low;  // scores of the first model from low to high are uncertain
  std::int64_t high;
  std::uint32_t milestones[most_milestones];  // packets that a flow has had, rising
  std::uint32_t count;                        // milestones; 0: there is no large model
  std::uint32_t most;                         // packets that it judges, by window, of each pipeline
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
  std::uint32_t most_copies;   // for detect_action::mirror
  detect_large large;
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

// A pipeline's counters: of the models by their numbers, then of the large model, of packets that had their flow's
// verdict, of packets beyond the large model's limit, and of packets beyond the limit of copies. `judged` counts.
inline constexpr unsigned large_detect_counter = most_detect_models;
inline constexpr unsigned followed_detect_counter = most_detect_models + 1;
inline constexpr unsigned limited_detect_counter = most_detect_models + 2;
inline constexpr unsigned uncopied_detect_counter = most_detect_models + 3;
inline constexpr unsigned detect_counters = most_detect_models + 4;

// The rows and flows of a group's packets, which a CPU executor keeps for the large model.
struct alignas(64) second_look_room {
  std::int8_t rows[joint_packets][model::row_bytes];
  feature::flow_record* flows[joint_packets];  // null: the packet has none
};

// A view of a detect_table for the packets of one pipeline. Valid as long as the table.
struct detect_ref {
  detect_root const* root;
  detect_count* counts;  // [detect_counters]
  feature::state_ref state;
  detect_parts::anomaly_ref journal;
  second_look_room* second_look{};  // null on a GPU
  std::uint16_t ingress{};          // position of the port that packets come in by among the plan's
  // wide_width_of() the large model that the table began with; 0 without one, or if it is no dense network.
  std::uint32_t large_width{};
};
static_assert(std::is_trivially_copyable_v<detect_ref>);

}  // namespace packetwarp
