// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plan/config.h"

namespace packetwarp {

// The options of l2fwd that describe a data plane; the generator decides how long it runs. Throws usage_error.
[[nodiscard]] data_plane_config parse_through(std::string const& text);

}  // namespace packetwarp
