// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "module/client/shown_noun.h"

namespace packetwarp {

// Everything that `packetwarp show` shows, in the order of its help page: interfaces, the nouns of modules, drops,
// memory.
[[nodiscard]] std::span<shown_noun const> shown_nouns();

}  // namespace packetwarp
