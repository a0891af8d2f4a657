// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "feature/observe.h"
#include "function/detect/detect_hooks.h"
#include "function/detect/detect_layout.h"
#include "function/detect/models.h"
#include "function/detect/second_look.h"
#include "function/function.h"
#include "function/hook.h"
#include "function/network/words.h"
#include "function/second_work.h"
#include "function/told_facts.h"

namespace packetwarp {

// `detect` with a large model, on a GPU: a batch of packets gathers, the first model judges all of them, and the large
// one the packets that are due (second_work.h). Verdicts and records are those of `detect`, bit for bit.
struct deep_detect : detect_hooks {
  static constexpr bool has_own_kernels = true;

  // In the GPU's memory. Rows stay there while the first model judges copies of them.
  struct alignas(16) room {
    feature::packed_row rows[joint_packets];
    detect_parts::flow_seen flows[joint_packets];
    std::int32_t scores[joint_packets];
    std::uint32_t is_anomalous;
    std::uint32_t by_large;
    std::uint32_t set;  // the number of the models that have judged
  };
  struct annotation {
    detect_hooks::annotation by_models;
    std::uint32_t set;
  };

  template <tells_facts Tell = as_received>
  HOST_DEVICE static void gather(packet_view view, unsigned n, held const& in_force, room& shared,
                                 Tell const& tell = {}) {
    feature::packed_row row{};
    auto* const flow = feature::observe(told_facts_of(view, tell), in_force.epoch, in_force.tables.state, row);
    shared.rows[n] = row;
    shared.flows[n] = detect_parts::see_flow(flow, in_force.epoch);
  }
  // The kernels of second_work.h work.
  HOST_DEVICE static void work(auto const&, held const&, room&) {}
  [[nodiscard]] HOST_DEVICE static annotation annotation_of(unsigned n, room const& shared) {
    return {annotation_in(n, shared.is_anomalous, shared.by_large, shared.scores[n]), shared.set};
  }

  // The hooks take the models that have judged the packet, which others may have replaced since.
  [[nodiscard]] HOST_DEVICE static bool passes(packet_view view, held const& in_force, annotation const& found) {
    return detect_hooks::passes(view, as_judged(in_force, found), found.by_models);
  }
  [[nodiscard]] HOST_DEVICE static verdict ingress(packet_view view, held const& in_force, annotation const& found) {
    return detect_hooks::ingress(view, as_judged(in_force, found), found.by_models);
  }
  [[nodiscard]] HOST_DEVICE static bool asks_for_copy(held const& in_force, annotation const& found) {
    return detect_hooks::asks_for_copy(as_judged(in_force, found), found.by_models);
  }

  // The steps of second_work.h.
  using near_room = detect_parts::models_room;
  [[nodiscard]] static std::uint32_t wide_width(ref const& tables) { return tables.large_width; }
  [[nodiscard]] HOST_DEVICE static std::uint32_t version_in_force(ref const& tables) {
    return static_cast<std::uint32_t>(&tables.root->in_force() - tables.root->sets);
  }
  [[nodiscard]] HOST_DEVICE static std::uint32_t work_first(auto const& group, ref const& tables, std::uint32_t version,
                                                            epoch_number epoch, room& shared, near_room& near) {
    auto const& set = tables.root->sets[version];
    for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
      detect_parts::put_row(shared.rows[n], n, near.network);
    }
    group.sync();
    detect_parts::judge_by_all(group, set, tables.counts, near);
    for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
      shared.scores[n] = detect_parts::near_number(detect_parts::first_margin_of(n, near));
    }
    detect_parts::second_looks seen{};
    if (set.large.count != 0) {
      seen = detect_parts::look_again(
          group, set.large, epoch,
          *tables.journal.windows, [&shared](unsigned n) -> auto const& { return shared.flows[n]; },
          [&near](unsigned n) { return detect_parts::first_margin_of(n, near); });
    }
    if (group.lane() == 0) {
      detect_parts::count_looks(seen, tables.counts);
      shared.by_large = seen.due | seen.followed;
      shared.is_anomalous = (near.is_anomalous & ~shared.by_large) | seen.anomalous;
      shared.set = version;
    }
    group.sync();
    return seen.due;
  }
  [[nodiscard]] HOST_DEVICE static std::int8_t const* row_of(unsigned n, room const& shared) {
    return shared.rows[n].bytes();
  }
  [[nodiscard]] HOST_DEVICE static model::network_ref wide_network(ref const& tables, std::uint32_t version) {
    return tables.root->sets[version].large.model.network;
  }
  [[nodiscard]] HOST_DEVICE static bool take_scores(unsigned n, std::int32_t const* scores, ref const& tables,
                                                    std::uint32_t version, epoch_number epoch, room& shared) {
    auto const& model = tables.root->sets[version].large.model;
    bool const is_anomalous = detect_parts::decide(model, scores, shared.flows[n], epoch);
    if (is_anomalous) feature::include(shared.is_anomalous, std::uint32_t{1} << n);
    return is_anomalous;
  }
  HOST_DEVICE static void count_second(ref const& tables, std::uint32_t rows, std::uint32_t found) {
    detect_parts::count(tables.counts[large_detect_counter], rows, found);
  }

 private:
  [[nodiscard]] HOST_DEVICE static held as_judged(held const& in_force, annotation const& found) {
    return {in_force.tables, in_force.tables.root->sets[found.set], in_force.epoch};
  }
};
static_assert(has_joint_work<deep_detect> && has_joint_ingress<deep_detect> && has_copies<deep_detect>);
static_assert(works_twice<deep_detect>);

}  // namespace packetwarp
