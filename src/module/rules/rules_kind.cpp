// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/rules_kind.h"

#include "function/rules/rules.h"
#include "module/rules/rules_module.h"

namespace packetwarp {

std::string_view rules_kind::name() const { return rules::name; }

void rules_kind::adjust(network_config const& config, data_plane_config& plane) const {
  auto const* const section = config.sections.find<rules_config>();
  if (section == nullptr || section->on != rules_on::nic) return;
  // A NIC puts packets into each receive queue that rules speak of: somebody has to look there.
  if (plane.pipelines == 0 && plane.listed.empty()) {
    plane.pipelines = static_cast<std::uint16_t>(section->receive_queues * plane.ports.size());
  }
}

std::unique_ptr<stage_module> rules_kind::make(module_surroundings const& around) const {
  auto const* const section = around.config->sections.find<rules_config>();
  if (section == nullptr) return nullptr;
  return std::make_unique<rules_module>(*section, around);
}

}  // namespace packetwarp
