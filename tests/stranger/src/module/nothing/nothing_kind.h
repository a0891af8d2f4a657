// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/module_kind.h"

namespace packetwarp {

// The module of a stage that does nothing: `nothing: {}` in a network's file.
class nothing_kind final : public module_kind {
 public:
  [[nodiscard]] std::string_view name() const override;
  [[nodiscard]] module_keys keys() const override;
  void read(yaml_place const& root, network_config& into) const override;
  [[nodiscard]] std::unique_ptr<stage_module> make(module_surroundings const& around) const override;
};

}  // namespace packetwarp
