// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "cli/command.h"

namespace packetwarp {

// Commands of modules (module/client/client_command.h), first the commands of a chain's first stages.
[[nodiscard]] std::vector<command> module_commands();

// The first words of requests that only a running network answers.
[[nodiscard]] std::vector<std::string_view> words_of_networks();

}  // namespace packetwarp
