// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "module/module_kind.h"

namespace packetwarp {

// The list of modules, in the order in which a network makes them and reports of them: first the stage that routes,
// which is the last of a chain, then the stages before it, from the last to the first.
[[nodiscard]] std::span<module_kind const* const> module_kinds();

}  // namespace packetwarp
