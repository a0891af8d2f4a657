// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cli/command.h"
#include "memory/eal_session.h"

namespace packetwarp {

// Starts the EAL with the call's EAL options, completed for this machine; what had to be changed is logged. Every
// network device that the call names is a port afterwards. Throws usage_error or failure.
[[nodiscard]] std::unique_ptr<eal_session> start_eal(invocation const& call);

}  // namespace packetwarp
