// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/rules/rules_config.h"
#include "module/section_kind.h"

namespace packetwarp {

class rules_kind final : public section_kind<rules_config> {
 public:
  rules_kind();

 protected:
  [[nodiscard]] rules_config section_at(yaml_place const& at, network_config const& beside) const override;
  void adjust_for(rules_config const& one, network_config const& config, data_plane_config& plane) const override;
  void check_section(rules_config const& one, network_config const& config, plan const& planned) const override;
  void add_files_of(rules_config const& one, module_files& to) const override;
  [[nodiscard]] std::unique_ptr<stage_module> make_of(rules_config const& one,
                                                      module_surroundings const& around) const override;
};

}  // namespace packetwarp
