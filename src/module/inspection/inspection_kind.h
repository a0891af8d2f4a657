// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/inspection/inspection_config.h"
#include "module/section_kind.h"

namespace packetwarp {

class inspection_kind final : public section_kind<inspection_config> {
 public:
  inspection_kind();

 protected:
  [[nodiscard]] inspection_config section_at(yaml_place const& at, network_config const& beside) const override;
  [[nodiscard]] std::string lines_of(inspection_config const& one) const override;
  void add_files_of(inspection_config const& one, module_files& to) const override;
  [[nodiscard]] std::unique_ptr<stage_module> make_of(inspection_config const& one,
                                                      module_surroundings const& around) const override;
};

}  // namespace packetwarp
