// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "module/module_kind.h"

namespace packetwarp {

// The list of modules, in the order in which a network makes them and reports of them: the stage that routes, which is
// the last of a chain, then those in front of it, to the first.
[[nodiscard]] std::span<module_kind const* const> module_kinds();

}  // namespace packetwarp
