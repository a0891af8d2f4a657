// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "feature/foresee.h"
#include "feature/observe.h"
#include "function/detect/deep_detect.h"
#include "function/detect/detect_hooks.h"
#include "function/detect/detect_layout.h"
#include "function/detect/models.h"
#include "function/detect/second_look.h"
#include "function/function.h"
#include "function/hook.h"
#include "function/told_facts.h"
#include "model/evaluate.h"

namespace packetwarp {

// Judges every packet by a model (docs/functions/detect.md): the packet, its flow and its hosts make a row of integers
// (feature/observe.h), a network makes scores of it (function/network/evaluate.h), and a packet with a score above the
// threshold is anomalous. A stage of a chain: it judges packets as they were received, also those that an earlier stage
// drops.
struct detect : detect_hooks {
  // With a large model, a GPU has the work done by kernels of its own.
  using deep = deep_detect;
  [[nodiscard]] static bool needs_deep_form(ref const& tables) { return tables.large_width != 0; }

  struct room : detect_parts::models_room {
    std::uint32_t by_large;  // bit n: packet n has the large model's verdict
  };

  template <tells_facts Tell = as_received>
  HOST_DEVICE static void gather(packet_view view, unsigned n, held const& in_force, room& shared,
                                 Tell const& tell = {}) {
    feature::packed_row row{};
    auto* const flow = feature::observe(told_facts_of(view, tell), in_force.epoch, in_force.tables.state, row);
    detect_parts::put_row(row, n, shared.network);
    keep_for_second_look(row, flow, n, in_force);
  }

  // A CPU fetches the records of a group's packets before it gathers the first one, where that pays.
  using foresight = feature::packet_outlook;
  [[nodiscard]] static bool foresees(held const& in_force) { return feature::are_spread(in_force.tables.state); }
  template <tells_facts Tell = as_received>
  static void foresee(packet_view view, held const& in_force, foresight& seen, Tell const& tell = {}) {
    feature::see_facts(view, seen);
    tell(view, seen.facts);
    feature::foresee(seen, in_force.tables.state);
  }
  [[gnu::always_inline]] static void foresee_further(foresight& seen, held const& in_force) {
    feature::foresee_further(seen, in_force.tables.state);
  }
  static void gather(packet_view, unsigned n, held const& in_force, room& shared, foresight const& seen) {
    feature::packed_row row{};
    auto* const flow = feature::observe(seen, in_force.epoch, in_force.tables.state, row);
    detect_parts::put_row(row, n, shared.network);
    keep_for_second_look(row, flow, n, in_force);
  }

  HOST_DEVICE static void work(auto const& group, held const& in_force, room& shared) {
    if (group.lane() == 0) shared.by_large = 0;
    add_kept(in_force);
    detect_parts::judge_by_all(group, in_force.set, in_force.tables.counts, shared);
    look_again(group, in_force, shared);
  }

  [[nodiscard]] HOST_DEVICE static annotation annotation_of(unsigned n, room const& shared) {
    return annotation_in(n, shared.is_anomalous, shared.by_large,
                         detect_parts::near_number(detect_parts::first_margin_of(n, shared)));
  }

 private:
  // A GPU has the deep form for it.
  HOST_DEVICE static void keep_for_second_look([[maybe_unused]] feature::packed_row const& row,
                                               [[maybe_unused]] feature::flow_record* flow, [[maybe_unused]] unsigned n,
                                               [[maybe_unused]] held const& in_force) {
#if !defined(__CUDA_ARCH__)
    if (in_force.set.large.count == 0) return;
    auto& kept = *in_force.tables.second_look;
    std::memcpy(kept.rows[n], row.bytes(), model::row_bytes);
    kept.flows[n] = flow;
#endif
  }
  // A CPU adds the group's packets to their hosts.
  HOST_DEVICE static void add_kept([[maybe_unused]] held const& in_force) {
#if !defined(__CUDA_ARCH__)
    if (in_force.tables.state.kept != nullptr) in_force.tables.state.kept->add_all();
#endif
  }
  HOST_DEVICE static void look_again([[maybe_unused]] auto const& group, [[maybe_unused]] held const& in_force,
                                     [[maybe_unused]] room& shared) {
#if !defined(__CUDA_ARCH__)
    auto const& large = in_force.set.large;
    if (large.count == 0) return;
    auto const& tables = in_force.tables;
    auto const seen = detect_parts::look_again(
        group, large, in_force.epoch, *tables.journal.windows, [&in_force](unsigned n) { return flow_of(n, in_force); },
        [&shared](unsigned n) { return detect_parts::first_margin_of(n, shared); });
    detect_parts::count_looks(seen, tables.counts);
    auto const anomalous = seen.anomalous | judge_due(seen.due, in_force);
    shared.by_large = seen.due | seen.followed;
    shared.is_anomalous = (shared.is_anomalous & ~shared.by_large) | anomalous;
#endif
  }
#if !defined(__CUDA_ARCH__)
  [[nodiscard]] static detect_parts::flow_seen flow_of(unsigned n, held const& in_force) {
    return detect_parts::see_flow(in_force.tables.second_look->flows[n], in_force.epoch);
  }
  // Judges the packets that are due by the large model. Returns the anomalous ones.
  [[nodiscard]] static std::uint32_t judge_due(std::uint32_t due, held const& in_force) {
    if (due == 0) return 0;
    auto const& model = in_force.set.large.model;
    alignas(64) std::int8_t rows[joint_packets][model::row_bytes];
    std::int32_t scores[joint_packets * most_scores_by_group];
    unsigned count = 0;
    for_packets(
        due, [&](unsigned n) { std::memcpy(rows[count++], in_force.tables.second_look->rows[n], model::row_bytes); });
    model::evaluate(model.network, rows[0], count, scores);
    std::uint32_t anomalous = 0;
    auto const* next = scores;
    for_packets(due, [&](unsigned n) {
      if (detect_parts::decide(model, next, flow_of(n, in_force), in_force.epoch)) anomalous |= 1U << n;
      next += model.network.outputs();
    });
    detect_parts::count(in_force.tables.counts[large_detect_counter], count, detect_parts::size_of(anomalous));
    return anomalous;
  }
  static void for_packets(std::uint32_t packets, auto const& use) {
    for (; packets != 0; packets &= packets - 1) use(static_cast<unsigned>(__builtin_ctz(packets)));
  }
#endif
};
static_assert(has_joint_work<detect> && has_joint_ingress<detect> && gathers_ahead<detect> && has_copies<detect>);

}  // namespace packetwarp
