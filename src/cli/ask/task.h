// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command.h"
#include "cli/control/control_client.h"
#include "module/client/client_command.h"

namespace packetwarp {

[[nodiscard]] control_client_limits limits_for(request_effect effect);

// Asks a running packetwarp for the task that the words name; returns the text to print. Throws usage_error with one
// line.
[[nodiscard]] std::string answer_to_task(client_command const& of, invocation const& call);

}  // namespace packetwarp
