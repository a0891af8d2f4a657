// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plan/config.h"

namespace packetwarp {

// The options of l2fwd that say what a data plane is; how long it runs is the generator's to say. Throws usage_error.
[[nodiscard]] data_plane_config parse_through(std::string const& text);

}  // namespace packetwarp
