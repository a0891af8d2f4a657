// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/nat44/nat44_section.h"
#include "module/section_kind.h"

namespace packetwarp {

class nat44_kind final : public section_kind<nat44_section> {
 public:
  nat44_kind();

 protected:
  [[nodiscard]] nat44_section section_at(yaml_place const& at, network_config const& beside) const override;
  void check_section(nat44_section const& one, network_config const& config, plan const& planned) const override;
  [[nodiscard]] std::string lines_of(nat44_section const& one) const override;
  void add_files_of(nat44_section const& one, module_files& to) const override;
  [[nodiscard]] std::unique_ptr<stage_module> make_of(nat44_section const& one,
                                                      module_surroundings const& around) const override;
};

}  // namespace packetwarp
