// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/inspect/options.h"

namespace packetwarp {

// Each returns the exit status, and throws usage_error and failure.
[[nodiscard]] int check_inspect_rules(inspect_options const& options);
[[nodiscard]] int inspect_capture(inspect_options const& options);

}  // namespace packetwarp
