// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/modules.h"

#include <array>

#include "module/nat44/nat44_kind.h"
#include "module/router/router_kind.h"
#include "module/rules/rules_kind.h"

namespace packetwarp {

std::span<module_kind const* const> module_kinds() {
  static router_kind const router;
  static nat44_kind const nat44;
  static rules_kind const rules;
  static std::array<module_kind const*, 3> const all{&router, &nat44, &rules};
  return all;
}

}  // namespace packetwarp
