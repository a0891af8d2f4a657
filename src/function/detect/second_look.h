// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "burst/epoch.h"
#include "feature/access.h"
#include "feature/flow_record.h"
#include "function/detect/anomaly.h"
#include "function/detect/detect_layout.h"
#include "function/group.h"
#include "function/network/room.h"
#include "model/evaluate.h"

// A large model takes a second look at flows that the first model is not sure of (docs/functions/detect.md). On a CPU.
//
// A packet of epoch e is due at a milestone of m packets if the snapshot of e (feature/epoch_record.h) has m packets of
// its flow or more, and does not have the milestone among those passed. Every packet of the flow in e makes it passed,
// for the snapshot of e + 2. So the packets of at most two epochs are due, whatever order packets are worked on in.
// Packets beyond the limit of their window keep the first model's verdict.
namespace packetwarp::detect_parts {

// Bits by packet of a group.
struct second_verdicts {
  std::uint32_t anomalous;  // as the large model has it
  std::uint32_t decided;    // packets whose verdict is the large model's
};

// The milestones that a flow with this snapshot is at or beyond.
[[nodiscard]] inline std::uint32_t milestones_of(feature::flow_state const& flow, detect_large const& large) {
  auto const packets = std::uint64_t{flow.packets[0]} + flow.packets[1];
  std::uint32_t passed = 0;
  for (std::uint32_t n = 0; n < large.count; ++n) passed |= packets >= large.milestones[n] ? 1U << n : 0U;
  return passed;
}

class second_look {
 public:
  second_look(detect_large const& large, second_look_room& room, anomaly_cursors& cursors, epoch_number epoch)
      : large_{large}, room_{room}, cursors_{cursors}, epoch_{epoch} {}

  // Packet n of the group, whose score by the first model is `score`.
  void take(unsigned n, std::int64_t score) {
    auto* const flow = room_.flows[n];
    if (flow == nullptr) return;
    auto& half = flow->of(epoch_);
    auto const passed = milestones_of(half.snapshot, large_);
    if (passed == 0) return;
    feature::include(half.adds.marks, passed);
    if (score < large_.low || score > large_.high) return;
    std::uint32_t const marks = half.snapshot.marks;
    if ((passed & ~marks) != 0) {
      if (!take_place(cursors_.second_looks, epoch_, large_.most)) {
        ++limited_.judged;
        return;
      }
      std::memcpy(rows_[due_], room_.rows[n], model::row_bytes);
      packets_[due_++] = static_cast<std::uint8_t>(n);
    } else if ((marks & feature::flow_mark::verdict) != 0) {
      give(n, marks, followed_);
    }
  }

  // After the last packet: judges the packets that are due. margin: of a row's scores and their number.
  [[nodiscard]] second_verdicts judge(auto const& margin) {
    if (due_ == 0) return verdicts_;
    std::int32_t scores[joint_packets * most_scores_by_group];
    auto const outputs = large_.model.network.outputs();
    model::evaluate(large_.model.network, rows_[0], due_, scores);
    for (unsigned i = 0; i < due_; ++i) {
      auto const mark = margin(scores + i * outputs, outputs) > large_.model.threshold ? feature::flow_mark::anomalous
                                                                                       : feature::flow_mark::normal;
      feature::include(room_.flows[packets_[i]]->of(epoch_).adds.marks, mark);
      give(packets_[i], mark, judged_);
    }
    return verdicts_;
  }
  [[nodiscard]] detect_count const& judged() const { return judged_; }
  // Packets that have their flow's verdict.
  [[nodiscard]] detect_count const& followed() const { return followed_; }
  // Packets beyond the limit.
  [[nodiscard]] detect_count const& limited() const { return limited_; }

 private:
  void give(unsigned n, std::uint32_t marks, detect_count& count) {
    verdicts_.decided |= 1U << n;
    ++count.judged;
    if ((marks & feature::flow_mark::anomalous) == 0) return;
    verdicts_.anomalous |= 1U << n;
    ++count.anomalous;
  }

  detect_large const& large_;
  second_look_room& room_;
  anomaly_cursors& cursors_;
  epoch_number epoch_;
  alignas(64) std::int8_t rows_[joint_packets][model::row_bytes];  // of the packets that are due
  std::uint8_t packets_[joint_packets];                            // their numbers in the group
  unsigned due_{};
  second_verdicts verdicts_{};
  detect_count judged_{};
  detect_count followed_{};
  detect_count limited_{};
};

}  // namespace packetwarp::detect_parts
