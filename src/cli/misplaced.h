// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <span>
#include <string>

#include "cli/command.h"

namespace packetwarp {

// Words in front of "--" that are no options of the EAL's: throws usage_error, which names packetwarp's own option
// among them and says where it goes. `app` has the command's options declared.
void refuse_misplaced(CLI::App const& app, invocation const& call);

// Behind "--": " is the EAL's, ..." for a word that is an option of the EAL's, else nothing.
[[nodiscard]] std::string where_else(std::string const& word, invocation const& call);

}  // namespace packetwarp
