// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/module_kind.h"

namespace packetwarp {

class router_kind final : public module_kind {
 public:
  router_kind();
  void read(yaml_place const& root, network_config& into) const override;
  // Routes by neighbours that are on no wire.
  void check(network_config const& config, plan const& planned) const override;
  [[nodiscard]] std::unique_ptr<stage_module> make(module_surroundings const& around) const override;
};

}  // namespace packetwarp
