// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "module/config.h"
#include "plan/plan.h"

namespace packetwarp {

// A line for each interface whose packets this machine's kernel forwards, too: its port shares the packets of a kernel
// interface with the kernel, it has that interface's MAC address, and the kernel's settings say that it forwards. It
// sends these packets by its own routes, past rules and untranslated.
[[nodiscard]] std::vector<std::string> forwarded_by_the_kernel(network_config const& config, plan const& planned);

}  // namespace packetwarp
