// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "topology/plan_steps.h"

namespace packetwarp {

void plan_kernels(plan& p) {
  if (p.config.kernels.empty()) return;
  if (p.pool.gpu >= 0 || (p.config.where != placement::host && p.route == packet_route::direct)) {
    throw usage_error(
        "kernel interfaces need packets in host memory, and these ports put them into a GPU's; use placement host");
  }
  for (auto const& config : p.config.kernels) {
    auto const at =
        std::find_if(p.ports.begin(), p.ports.end(), [&](auto const& one) { return one.facts.id == config.port; });
    p.kernels.push_back({.config = config, .port = static_cast<std::size_t>(at - p.ports.begin())});
  }
}

}  // namespace packetwarp
