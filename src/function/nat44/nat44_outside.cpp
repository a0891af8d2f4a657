// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "function/nat44/nat44_table.h"

namespace packetwarp {

std::optional<nat44_outside_use> nat44_table::outside_use(std::uint32_t position) const {
  auto const& one = assignment_.outside[position];
  if (!one.is_used && !one.was_used) return std::nullopt;
  nat44_outside_use made{.address = one.address, .is_configured = one.is_used, .gift = one.gift};
  auto const tables = cpu();
  auto const all = nat::ports_of(config_);
  for (std::size_t kind = 0; kind < nat::transports; ++kind) {
    auto const ports = tables.free_ports(static_cast<nat::transport>(kind), position);
    made.ports[kind] = all - std::min(all, ports.count_free(config_.first_port, config_.last_port));
  }
  bool const is_idle = std::all_of(made.ports.begin(), made.ports.end(), [](auto ports) { return ports == 0; });
  return !made.is_configured && is_idle ? std::nullopt : std::optional{made};
}

}  // namespace packetwarp
