// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "feature/foresee.h"
#include "feature/observe.h"
#include "feature/stays_near.h"
#include "function/detect/anomaly.h"
#include "function/detect/answer.h"
#include "function/detect/detect_layout.h"
#include "function/detect/kept_rows.h"
#include "function/detect/mark.h"
#include "function/detect/second_look.h"
#include "function/function.h"
#include "function/hook.h"
#include "function/network/evaluate.h"
#include "function/network/room.h"

namespace packetwarp {

// Judges every packet by a model (docs/functions/detect.md): the packet, its flow and its hosts make a row of integers
// (feature/observe.h), a network makes scores of it (function/network/evaluate.h), and a packet with a score above the
// threshold is anomalous. A stage of a chain: it judges packets as they were received, also those that an earlier stage
// drops.
struct detect {
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

  struct room {
    network_room network;
    std::uint32_t is_anomalous;  // bit n: packet n, by the first model or the large one
    std::uint32_t by_large;      // bit n: by the large one
    std::uint32_t outputs;       // of the first model, whose scores are in the room after work()
  };
  struct annotation {
    std::uint32_t is_anomalous;  // 0: it is not; 1: by the first model; 3: by the large one
    std::int32_t score;          // by the first model; the nearest number if the score is beyond it
  };

  HOST_DEVICE static void gather(packet_view view, unsigned n, held const& in_force, room& shared) {
    alignas(16) std::int8_t row[model::row_bytes];
    auto* const flow = feature::observe(feature::facts_of(view), in_force.epoch, in_force.tables.state, row);
    put_row(row, n, shared);
    keep_for_second_look(row, flow, n, in_force);
  }

  // A CPU fetches the records of a group's packets before it gathers the first one, where that pays.
  using foresight = feature::packet_outlook;
  [[nodiscard]] static bool foresees(held const& in_force) { return feature::are_spread(in_force.tables.state); }
  [[nodiscard]] static foresight foresee(packet_view view, held const& in_force) {
    return feature::foresee(feature::facts_of(view), in_force.tables.state);
  }
  [[gnu::always_inline]] static void foresee_further(foresight& seen, held const& in_force) {
    feature::foresee_further(seen, in_force.epoch, in_force.tables.state);
  }
  static void gather(packet_view, unsigned n, held const& in_force, room& shared, foresight const& seen) {
    alignas(16) std::int8_t row[model::row_bytes];
    auto* const flow = feature::observe(seen, in_force.epoch, in_force.tables.state, row);
    put_row(row, n, shared);
    keep_for_second_look(row, flow, n, in_force);
  }

  HOST_DEVICE static void work(auto const& group, held const& in_force, room& shared) {
    if (in_force.set.count == 1) {
      judge(group, in_force, 0, shared);
    } else {
      judge_by_all(group, in_force, shared);
    }
    look_again(in_force, group.packets(), shared);
  }

  [[nodiscard]] HOST_DEVICE static annotation annotation_of(unsigned n, room const& shared) {
    auto const is_anomalous = shared.is_anomalous >> n & 1;
    return {is_anomalous | is_anomalous * 2 * (shared.by_large >> n & 1),
            near_number(margin_of(n, shared.outputs, shared.network))};
  }

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
        detect_parts::set_dscp(view, in_force.set.dscp);
        return next_hook();
      case detect_action::answer:
      case detect_action::answer_all:
        return detect_parts::answer(view, near_number(found.score - in_force.set.models[0].threshold),
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
    if (detect_parts::take_place(tables.journal.cursors->copied, in_force.epoch, in_force.set.most_copies)) return true;
    add(tables.counts[uncopied_detect_counter].judged, 1);
    return false;
  }

 private:
  HOST_DEVICE static void put_row(std::int8_t const* row, unsigned n, room& shared) {
    auto const* const words = reinterpret_cast<std::uint32_t const*>(row);
    network_row const to{shared.network, n};
    UNROLLED
    for (unsigned i = 0; i < row_words; ++i) to.word(i) = words[i];
  }

  // The large model is a CPU's: a GPU refuses it when the file is read.
  HOST_DEVICE static void keep_for_second_look([[maybe_unused]] std::int8_t const* row,
                                               [[maybe_unused]] feature::flow_record* flow, [[maybe_unused]] unsigned n,
                                               [[maybe_unused]] held const& in_force) {
#if !defined(__CUDA_ARCH__)
    if (in_force.set.large.count == 0) return;
    auto& kept = *in_force.tables.second_look;
    std::memcpy(kept.rows[n], row, model::row_bytes);
    kept.flows[n] = flow;
#endif
  }
  HOST_DEVICE static void look_again([[maybe_unused]] held const& in_force, [[maybe_unused]] unsigned packets,
                                     [[maybe_unused]] room& shared) {
#if !defined(__CUDA_ARCH__)
    if (in_force.set.large.count == 0) return;
    detect_parts::second_look large{in_force.set.large, *in_force.tables.second_look, *in_force.tables.journal.cursors,
                                    in_force.epoch};
    for (unsigned n = 0; n < packets; ++n) large.take(n, margin_of(n, shared.outputs, shared.network));
    auto const verdicts = large.judge([](std::int32_t const* scores, std::uint32_t outputs) {
      return margin_of(outputs, [scores](unsigned output) { return scores[output]; });
    });
    shared.is_anomalous = (shared.is_anomalous & ~verdicts.decided) | verdicts.anomalous;
    shared.by_large = verdicts.decided;
    auto* const counts = in_force.tables.counts;
    add(counts[large_detect_counter], large.judged());
    add(counts[followed_detect_counter], large.followed());
    add(counts[limited_detect_counter], large.limited());
#endif
  }

  // Tells the master of the packet's flow, unless the flow has a record in this window. noinline: a call, and no copy
  // of the code on the way of normal packets.
  [[gnu::noinline, gnu::cold]] HOST_DEVICE static void record(std::byte* data, std::uint32_t contiguous,
                                                              std::uint32_t length, ref const& tables,
                                                              detect_set const& set, epoch_number epoch,
                                                              annotation found) {
    auto const facts = feature::facts_of(data, contiguous, length);
    auto const flow = feature::keys_of(facts, tables.state.key).flow;
    auto const& journal = tables.journal;
    auto& mark = journal.marks[flow & journal.mark_mask];
    auto const packets = detect_parts::count_packet(mark, flow, epoch);
    if (packets == 0) return;
    if (!detect_parts::take_place(journal.cursors->recorded, epoch, set.most_records)) {
      feature::add(mark.packets, packets);
      return feature::count(journal.cursors->limited);
    }
    journal.write({.flow = flow,
                   .source = facts.source,
                   .destination = facts.destination,
                   .packets = static_cast<std::uint32_t>(packets),
                   .score = found.score,
                   .source_port = facts.source_port,
                   .destination_port = facts.destination_port,
                   .ip_version = facts.ip_version,
                   .protocol = facts.protocol,
                   .has_ports = facts.has_ports,
                   .set = static_cast<std::uint8_t>((&set - tables.root->sets) | (found.is_anomalous & 2))});
  }
  [[nodiscard]] HOST_DEVICE static bool may_punt(held const& in_force) {
    return detect_parts::take_place(in_force.tables.journal.cursors->punted, in_force.epoch, in_force.set.most_punts);
  }

  HOST_DEVICE static void judge(auto const& group, held const& in_force, unsigned number, room& shared) {
    auto const& model = in_force.set.models[number];
    evaluate_by_group(group, model.network, shared.network);
    auto const found = anomalous_of(group, model, shared.network);
    if (group.lane() == 0) {
      if (number == 0) {
        shared.is_anomalous = found;
        shared.by_large = 0;
        shared.outputs = model.network.outputs();
      }
      count(in_force.tables.counts[number], group.packets(), found);
    }
    group.sync();
  }
  // The first model is the last to judge, because its scores stay in the room.
  HOST_DEVICE static void judge_by_all(auto const& group, held const& in_force, room& shared) {
    detect_parts::kept_rows rows;
    rows.keep(group, shared.network);
    for (auto number = in_force.set.count; number-- != 0;) {
      judge(group, in_force, number, shared);
      if (number != 0) rows.put_back(group, shared.network);
    }
  }

  [[nodiscard]] HOST_DEVICE static std::uint32_t anomalous_of(auto const& group, detect_model const& model,
                                                              network_room const& scores) {
    std::uint32_t of_lane = 0;
    for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
      if (margin_of(n, model.network.outputs(), scores) > model.threshold) of_lane |= std::uint32_t{1} << n;
    }
    return group.sum(of_lane);  // each packet's bit is one lane's
  }
  [[nodiscard]] HOST_DEVICE static std::int64_t margin_of(unsigned n, std::uint32_t outputs,
                                                          network_room const& scores) {
    return margin_of(outputs, [n, &scores](unsigned output) { return score_of(n, scores, output); });
  }
  [[nodiscard]] HOST_DEVICE static std::int64_t margin_of(std::uint32_t outputs, auto const& score_at) {
    auto const first = score_at(0);
    if (outputs == 1) return first;
    auto most = score_at(1);
    for (unsigned output = 2; output < outputs; ++output) {
      auto const score = score_at(output);
      if (score > most) most = score;
    }
    return std::int64_t{most} - first;
  }

  [[nodiscard]] HOST_DEVICE static std::int32_t near_number(std::int64_t score) {
    constexpr std::int64_t most = 0x7fff'ffff;
    if (score > most) return static_cast<std::int32_t>(most);
    return score < -most ? -static_cast<std::int32_t>(most) : static_cast<std::int32_t>(score);
  }

  HOST_DEVICE static void count(detect_count& count, unsigned packets, std::uint32_t found) {
    add(count.judged, packets);
    if (found == 0) return;
#if defined(__CUDA_ARCH__)
    add(count.anomalous, static_cast<unsigned>(__popc(found)));
#else
    add(count.anomalous, static_cast<unsigned>(__builtin_popcount(found)));
#endif
  }
  static void add(detect_count& count, detect_count const& some) {
    if (some.judged == 0) return;
    add(count.judged, some.judged);
    add(count.anomalous, some.anomalous);
  }
  HOST_DEVICE static void add(std::uint64_t& counter, std::uint64_t amount) {
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{counter}.fetch_add(amount, cuda::memory_order_relaxed);
  }
};
static_assert(has_joint_work<detect> && has_joint_ingress<detect> && gathers_ahead<detect> && has_copies<detect>);

}  // namespace packetwarp
