// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/neighbour_budget.h"

namespace packetwarp {

bool neighbour_budget::may_ask(neighbour_asker const& asker, control_time now) {
  constexpr std::uint32_t sources = 64;
  auto& of_interface = by_interface_.try_emplace(asker.interface, part_of(2)).first->second;
  auto& of_source = by_source_.try_emplace({asker.interface, asker.source % sources}, part_of(4)).first->second;
  return of_source.take(now) && of_interface.take(now) && questions_.take(now);
}

token_bucket neighbour_budget::part_of(std::uint32_t parts) const {
  return {(settings_.questions_per_second + parts - 1) / parts, (settings_.questions_at_once + parts - 1) / parts};
}

}  // namespace packetwarp
