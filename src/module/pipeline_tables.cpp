// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/pipeline_tables.h"

#include <algorithm>
#include <map>

namespace packetwarp {

std::vector<pipeline_slot> slots_of(plan const& planned, std::span<std::string const> interfaces) {
  std::vector<pipeline_slot> slots;
  std::map<std::size_t, std::size_t> on_gpu;  // pipelines so far
  for (auto const& one : planned.pipelines) {
    auto const port = std::ranges::find(planned.ports, one.rx_port, [](auto const& its) { return its.facts.id; });
    slots.push_back({.gpu = one.gpu_position,
                     .on_gpu = on_gpu[one.gpu_position]++,
                     .interface = interfaces[static_cast<std::size_t>(port - planned.ports.begin())]});
  }
  return slots;
}

}  // namespace packetwarp
