// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "burst/epoch.h"
#include "feature/access.h"
#include "feature/flow_record.h"
#include "function/detect/anomaly.h"
#include "function/detect/detect_layout.h"
#include "function/detect/models.h"

// A large model takes a second look at flows that the first model is not sure of (docs/functions/detect.md).
//
// A packet of epoch e is due at a milestone of m packets if the snapshot of e (feature/epoch_record.h) has m packets of
// its flow or more, and does not have the milestone among those passed. Every packet of the flow in e makes it passed,
// for the snapshot of e + 2. So the packets of at most two epochs are due, whatever order packets are worked on in.
// Packets beyond the limit of their window keep the first model's verdict.
namespace packetwarp::detect_parts {

// A packet's flow as the snapshot of the packet's epoch has it.
struct flow_seen {
  feature::flow_record* record;  // null: the packet has none
  std::uint32_t packets;         // in both directions; the largest number if there are more
  std::uint32_t marks;           // feature::flow_mark
};
[[nodiscard]] HOST_DEVICE inline flow_seen see_flow(feature::flow_record* record, epoch_number epoch) {
  if (record == nullptr) return {};
  auto const& flow = record->snapshot(epoch);
  return {record, feature::saturating_sum(flow.packets[0], flow.packets[1]), flow.marks};
}

// The milestones that a flow with this many packets is at or beyond.
[[nodiscard]] HOST_DEVICE inline std::uint32_t milestones_of(std::uint32_t packets, detect_large const& large) {
  std::uint32_t passed = 0;
  for (std::uint32_t n = 0; n < large.count; ++n) passed |= packets >= large.milestones[n] ? 1U << n : 0U;
  return passed;
}

// The one whose verdict a packet has.
enum class judged_by : std::uint8_t { first_model, large_model, its_flow, first_model_for_want_of_places };

// score: by the first model. A packet that is due takes a place in its window, and makes its milestone passed.
[[nodiscard]] HOST_DEVICE inline judged_by judge_of(detect_large const& large, flow_seen const& flow,
                                                    std::int64_t score, epoch_number epoch, anomaly_windows& windows) {
  auto const passed = flow.record == nullptr ? 0 : milestones_of(flow.packets, large);
  if (passed == 0) return judged_by::first_model;
  bool const is_due = (passed & ~flow.marks) != 0;
  // A milestone that the snapshot has stays passed.
  if (is_due) feature::include(flow.record->adds(epoch).marks, passed);
  if (score < large.low || score > large.high) return judged_by::first_model;
  if (!is_due) return (flow.marks & feature::flow_mark::verdict) != 0 ? judged_by::its_flow : judged_by::first_model;
  return take_place(windows.second_looks, epoch, large.most) ? judged_by::large_model
                                                             : judged_by::first_model_for_want_of_places;
}

// The packets of a group, a bit each.
struct second_looks {
  std::uint32_t due;        // those that the large model judges
  std::uint32_t followed;   // those with their flow's verdict
  std::uint32_t anomalous;  // those among `followed` whose flow's verdict is that
  std::uint32_t limited;    // those beyond the limit
};

// Called by all lanes, and has its result in each of them. flow_of, score_of: of a packet.
[[nodiscard]] HOST_DEVICE second_looks look_again(auto const& group, detect_large const& large, epoch_number epoch,
                                                  anomaly_windows& windows, auto const& flow_of, auto const& score_of) {
  second_looks of_lane{};
  for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
    flow_seen const& flow = flow_of(n);
    auto const bit = std::uint32_t{1} << n;
    switch (judge_of(large, flow, score_of(n), epoch, windows)) {
      case judged_by::first_model:
        break;
      case judged_by::large_model:
        of_lane.due |= bit;
        break;
      case judged_by::its_flow:
        of_lane.followed |= bit;
        if ((flow.marks & feature::flow_mark::anomalous) != 0) of_lane.anomalous |= bit;
        break;
      case judged_by::first_model_for_want_of_places:
        of_lane.limited |= bit;
        break;
    }
  }
  return {group.sum(of_lane.due), group.sum(of_lane.followed), group.sum(of_lane.anomalous),
          group.sum(of_lane.limited)};
}
// Called by one lane.
HOST_DEVICE inline void count_looks(second_looks const& seen, detect_count* counts) {
  count(counts[followed_detect_counter], size_of(seen.followed), size_of(seen.anomalous));
  count(counts[limited_detect_counter], size_of(seen.limited), 0);
}

// The large model's verdict on a packet that is due, by the scores of the packet's row. It stays in the flow's record.
// Returns whether the packet is anomalous.
HOST_DEVICE inline bool decide(detect_model const& model, std::int32_t const* scores, flow_seen const& flow,
                               epoch_number epoch) {
  bool const is_anomalous =
      margin_among(model.network.outputs(), [scores](unsigned output) { return scores[output]; }) > model.threshold;
  auto const mark = is_anomalous ? feature::flow_mark::anomalous : feature::flow_mark::normal;
  feature::include(flow.record->adds(epoch).marks, mark);
  return is_anomalous;
}

}  // namespace packetwarp::detect_parts
