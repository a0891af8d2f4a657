// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "feature/packet_facts.h"
#include "feature/packet_keys.h"
#include "feature/stays_near.h"
#include "function/detect/anomaly.h"
#include "function/detect/answer.h"
#include "function/detect/detect_layout.h"
#include "function/detect/mark.h"
#include "function/detect/models.h"
#include "function/hook.h"

namespace packetwarp {

// The part of `detect` that decides on a packet by its annotation, in both forms of the stage (detect.h,
// deep_detect.h).
struct detect_hooks {
  using ref = detect_ref;

  static constexpr std::string_view name = "detect";
  static constexpr std::array<std::string_view, 6> drop_names{
      "anomalous",           "anomalous_limited",    "unanswerable_fragment",
      "unanswerable_header", "unanswerable_address", "unanswerable_answer"};
  static constexpr std::uint16_t anomalous = 0;
  static constexpr std::uint16_t anomalous_limited = 1;  // to be punted, beyond the limit
  static constexpr std::uint16_t first_unanswerable = 2;
  // The verdict follows from the packets before it.
  static constexpr bool follows_from_header = false;
  static constexpr bool follows_epochs = true;

  // The models in force for a group of packets, and the time at which they came.
  struct held {
    ref const& tables;
    detect_set const& set;
    epoch_number epoch;
  };
  [[nodiscard]] HOST_DEVICE static held hold(ref const& tables, epoch_number epoch) {
    return {tables, tables.root->in_force(), epoch};
  }

  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view view) { return feature::stays_near(view); }

  struct annotation {
    std::uint32_t is_anomalous;  // 0: it is not; 1: by the first model; 3: by the large one
    std::int32_t score;          // by the first model; the nearest number if the score is beyond it
  };

  [[nodiscard]] HOST_DEVICE static bool passes(packet_view, held const& in_force, annotation const& found) {
    return found.is_anomalous == 0 && in_force.set.action != detect_action::answer_all;
  }
  HOST_DEVICE static void assume_passes(packet_view) {}
  [[nodiscard]] HOST_DEVICE static verdict ingress(packet_view view, held const& in_force, annotation const& found) {
    if (passes(view, in_force, found)) return next_hook();
    if (found.is_anomalous != 0 && in_force.set.most_records != 0) {
      record(view.data, view.contiguous, view.length, in_force.tables, in_force.set, in_force.epoch, found);
    }
    switch (in_force.set.action) {
      case detect_action::drop:
        return verdict::drop(function_drop(anomalous));
      case detect_action::punt:
        return may_punt(in_force) ? verdict::punt() : verdict::drop(function_drop(anomalous_limited));
      case detect_action::mark:
        detect_parts::set_dscp(view, static_cast<std::uint8_t>(in_force.set.dscp));
        return next_hook();
      case detect_action::answer:
      case detect_action::answer_all:
        return detect_parts::answer(view, detect_parts::near_number(found.score - in_force.set.models[0].threshold),
                                    in_force.tables.ingress, first_unanswerable);
      case detect_action::count:
      case detect_action::mirror:
        break;
    }
    return next_hook();
  }
  [[nodiscard]] HOST_DEVICE static bool asks_for_copy(held const& in_force, annotation const& found) {
    auto const& tables = in_force.tables;
    if (in_force.set.action != detect_action::mirror || found.is_anomalous == 0) return false;
    if (detect_parts::take_place(tables.journal.windows->copied, in_force.epoch, in_force.set.most_copies)) return true;
    detect_parts::add(tables.counts[uncopied_detect_counter].judged, 1);
    return false;
  }

 protected:
  // is_anomalous, by_large: bits of a group's packets.
  [[nodiscard]] HOST_DEVICE static annotation annotation_in(unsigned n, std::uint32_t is_anomalous,
                                                            std::uint32_t by_large, std::int32_t score) {
    auto const is_found = is_anomalous >> n & 1;
    return {is_found | is_found * 2 * (by_large >> n & 1), score};
  }

 private:
  // Tells the master of the packet's flow, unless the flow has a record in this window. noinline: a call, and no copy
  // of the code on the way of normal packets.
  [[gnu::noinline, gnu::cold]] HOST_DEVICE static void record(std::byte* data, std::uint32_t contiguous,
                                                              std::uint32_t length, ref const& tables,
                                                              detect_set const& set, epoch_number epoch,
                                                              annotation found) {
    auto const facts = feature::facts_of(data, contiguous, length);
    auto const flow = feature::keys_of(facts, tables.state.key).flow;
    auto const& journal = tables.journal;
    auto const position = static_cast<std::uint8_t>(&set - tables.root->sets);
    auto const counted = detect_parts::count_packet(journal.marks_of(flow), flow, epoch);
    if (counted.rest != 0) record_rest(journal, counted, position, set.most_records, epoch);
    if (counted.packets == 0 || !may_record(journal, flow, counted, set.most_records, epoch)) return;
    std::uint8_t const by_large = (found.is_anomalous & 2) != 0 ? detect_parts::anomaly::by_large : 0;
    journal.ring.write({.flow = flow,
                        .source = facts.source,
                        .destination = facts.destination,
                        .packets = static_cast<std::uint32_t>(counted.packets),
                        .score = found.score,
                        .source_port = facts.source_port,
                        .destination_port = facts.destination_port,
                        .ip_version = facts.ip_version,
                        .protocol = facts.protocol,
                        .has_ports = facts.has_ports,
                        .set = static_cast<std::uint8_t>(position | by_large)});
  }
  // Whether a flow's record fits into the window. Otherwise the packets are told with the flow's next record.
  [[nodiscard]] HOST_DEVICE static bool may_record(detect_parts::anomaly_ref const& journal, std::uint64_t flow,
                                                   detect_parts::counted_packet const& counted, std::uint32_t most,
                                                   epoch_number epoch) {
    bool const has_place = counted.place != detect_parts::flow_marks::none;
    if (has_place && detect_parts::take_place(journal.windows->recorded, epoch, most)) return true;
    if (has_place) feature::add(journal.marks_of(flow).packets[counted.place], counted.packets);
    feature::count(journal.windows->limited);
    return false;
  }
  // Tells the packets of the flow that gave its place to this one.
  HOST_DEVICE static void record_rest(detect_parts::anomaly_ref const& journal,
                                      detect_parts::counted_packet const& counted, std::uint8_t position,
                                      std::uint32_t most, epoch_number epoch) {
    if (!detect_parts::take_place(journal.windows->rests, epoch, most)) return;
    detect_parts::anomaly told{};
    told.flow = counted.rest_of;
    told.packets = static_cast<std::uint32_t>(counted.rest);
    told.set = static_cast<std::uint8_t>(position | detect_parts::anomaly::rest);
    journal.ring.write(told);
  }
  [[nodiscard]] HOST_DEVICE static bool may_punt(held const& in_force) {
    return detect_parts::take_place(in_force.tables.journal.windows->punted, in_force.epoch, in_force.set.most_punts);
  }
};

}  // namespace packetwarp
