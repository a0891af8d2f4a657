// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/client/module_client.h"

namespace packetwarp {

// The questions of other processes to a packetwarp with `inspect`, and the form of the answers.
[[nodiscard]] module_client inspection_client();

}  // namespace packetwarp
