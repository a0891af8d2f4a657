// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "module/client/client_command.h"
#include "module/client/module_screen.h"
#include "module/client/shown_noun.h"

namespace packetwarp {

// `show nat`, `packetwarp nat`, and the sessions in `top`.
[[nodiscard]] std::span<shown_noun const> nat_nouns();
[[nodiscard]] std::span<client_command const> nat_commands();
[[nodiscard]] module_screen nat_screen();

}  // namespace packetwarp
