// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "module/client/shown_noun.h"

namespace packetwarp {

// `show routes` and `show neighbours`.
[[nodiscard]] std::span<shown_noun const> router_nouns();

}  // namespace packetwarp
