// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "module/client/client_command.h"
#include "module/client/module_screen.h"
#include "module/client/shown_noun.h"

namespace packetwarp {

// `show rules`, `packetwarp flow`, and the rules in `top`.
[[nodiscard]] std::span<shown_noun const> rules_nouns();
[[nodiscard]] std::span<client_command const> rules_client_commands();
[[nodiscard]] module_screen rules_screen_of_top();

}  // namespace packetwarp
