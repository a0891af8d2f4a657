// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/session/age.h"

namespace packetwarp {

// What is to be done to every record of a NAT44's tables now and then, beside the packets: aging. For
// executor/gpu/sweep/sweep.h, where they are a GPU's.
struct nat44_sweep {
  using ref = nat44_ref;

  // Sees the number of records, to say how many threads there are to be; host.
  [[nodiscard]] static std::uint32_t records(nat44_config const& config) {
    auto const remotes = config.remotes == 0 ? config.sessions : config.remotes;
    auto const sessions = config.sessions + config.forward_room;
    return (sessions > remotes ? sessions : remotes) + 1;
  }
  HOST_DEVICE static void visit(ref const& tables, std::uint32_t record) {
    nat::age_record(tables, record, tables.now());
  }
};

}  // namespace packetwarp
