// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "feature/packet_keys.h"
#include "feature/stays_near.h"
#include "function/function.h"
#include "function/hook.h"
#include "function/inspection/group/group_work.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "function/inspection/reset.h"
#include "function/told_facts.h"

namespace packetwarp {

// Judges every packet by rules in Suricata's language (docs/functions/inspect.md). A stage of a chain: it judges
// packets as they were received, also those that an earlier stage drops.
struct inspection {
  using ref = inspection_ref;

  static constexpr std::string_view name = "inspect";
  static constexpr std::array<std::string_view, 2> drop_names{"inspect_drop", "inspect_reject"};
  static constexpr std::uint16_t by_drop = 0;
  static constexpr std::uint16_t by_reject = 1;  // to be rejected, and not to be answered
  // The verdict follows from payloads, and from packets before.
  static constexpr bool follows_from_header = false;
  static constexpr bool reaches_payload = true;
  // The code for a group is 146 KB.
  static constexpr bool goes_in_step = true;

  // The rules in force for a group of packets.
  struct held {
    ref const& tables;
    std::uint32_t set;
  };
  [[nodiscard]] HOST_DEVICE static held hold(ref const& tables) { return {tables, tables.root->in_force()}; }

  // The answer to a rejected segment is written within its headers.
  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view view) { return feature::stays_near(view); }

  using room = inspection_parts::inspection_room;
  using annotation = inspection_parts::fate;

  // Lanes of a GPU may hold different rules: those that packet 0 came with are the group's.
  template <tells_facts Tell = as_received>
  HOST_DEVICE static void gather(packet_view view, unsigned n, held const& in_force, room& shared,
                                 Tell const& tell = {}) {
    if (n == 0) shared.set = in_force.set;
    inspection_parts::gather(view, n, in_force.tables, shared, tell);
  }
  HOST_DEVICE_COPIED static void work(auto const& group, held const& in_force, room& shared) {
    inspection_parts::judge_group(group, in_force.tables, shared);
  }
  [[nodiscard]] HOST_DEVICE static annotation annotation_of(unsigned n, room const& shared) { return shared.fates[n]; }

  [[nodiscard]] HOST_DEVICE static bool passes(packet_view, held const&, annotation said) {
    return said == annotation::goes_on;
  }
  HOST_DEVICE static void assume_passes(packet_view) {}
  [[nodiscard]] HOST_DEVICE static verdict ingress(packet_view view, held const& in_force, annotation said) {
    if (said == annotation::goes_on) return next_hook();
    if (said == annotation::dropped) return verdict::drop(function_drop(by_drop));
    return inspection_parts::reject(view, in_force.tables.ingress, function_drop(by_reject));
  }
};
static_assert(has_joint_work<inspection> && has_joint_ingress<inspection>);

}  // namespace packetwarp
