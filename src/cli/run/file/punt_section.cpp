// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/file/punt_section.h"

namespace packetwarp {

punt_limits read_punt_section(yaml_place const& place) {
  place.require_keys({to_string(punt_class::neighbours), to_string(punt_class::own_addresses),
                      to_string(punt_class::icmp_errors), to_string(punt_class::fragments),
                      to_string(punt_class::others)});
  punt_limits limits;
  for (std::size_t n = 0; n < punt_classes; ++n) {
    auto const section = place.find(std::string{to_string(static_cast<punt_class>(n))});
    if (!section) continue;
    section->require_keys({"per_second", "at_once"});
    auto& limit = limits.of_class[n];
    if (auto const at = section->find("per_second")) {
      limit.per_second = static_cast<std::uint32_t>(at->number(0, most_punts_per_second));
    }
    if (auto const at = section->find("at_once")) {
      limit.at_once = static_cast<std::uint32_t>(at->number(1, most_punts_at_once));
    }
  }
  return limits;
}

}  // namespace packetwarp
