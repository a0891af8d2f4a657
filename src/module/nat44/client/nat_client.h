// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/client/module_client.h"

namespace packetwarp {

// `show nat`, `packetwarp nat`, and the sessions in `top`.
[[nodiscard]] module_client nat_client();

}  // namespace packetwarp
