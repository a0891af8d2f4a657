// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/session/age.h"

namespace packetwarp {

// The maintenance of every record of a NAT44's tables from time to time, beside the packets: aging.
// executor/gpu/sweep/sweep.h runs it if the tables are a GPU's.
struct nat44_sweep {
  using ref = nat44_ref;

  // The number of records, from which the number of threads follows. Host code.
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
