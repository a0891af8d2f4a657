// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/router/router_kind.h"

#include "module/router/router_module.h"

namespace packetwarp {

std::string_view router_kind::name() const { return router::name; }

// The control plane goes by routes where no stage does.
std::unique_ptr<stage_module> router_kind::make(module_surroundings const& around) const {
  return std::make_unique<router_module>(around);
}

}  // namespace packetwarp
