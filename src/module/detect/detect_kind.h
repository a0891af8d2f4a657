// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/detect/detect_config.h"
#include "module/section_kind.h"

namespace packetwarp {

class detect_kind final : public section_kind<detect_config> {
 public:
  detect_kind();

 protected:
  [[nodiscard]] detect_config section_at(yaml_place const& at, network_config const& beside) const override;
  void adjust_for(detect_config const& one, network_config const& config, data_plane_config& plane) const override;
  void check_section(detect_config const& one, network_config const& config, plan const& planned) const override;
  [[nodiscard]] std::string lines_of(detect_config const& one) const override;
  void add_files_of(detect_config const& one, module_files& to) const override;
  [[nodiscard]] std::unique_ptr<stage_module> make_of(detect_config const& one,
                                                      module_surroundings const& around) const override;
};

}  // namespace packetwarp
