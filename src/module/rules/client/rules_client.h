// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/client/module_client.h"

namespace packetwarp {

// `show rules`, `packetwarp flow`, and the rules in `top`.
[[nodiscard]] module_client rules_client();

}  // namespace packetwarp
