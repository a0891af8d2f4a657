// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "module/client/module_screen.h"
#include "module/client/shown_noun.h"

namespace packetwarp {

// The questions of other processes to a packetwarp with `inspect`, and the form of the answers.
[[nodiscard]] std::span<shown_noun const> inspection_nouns();
[[nodiscard]] module_screen inspection_screen();

}  // namespace packetwarp
