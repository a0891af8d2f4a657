// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "file/yaml_place.h"

namespace packetwarp {

// Throws usage_error with FILE:LINE where a network's file says something else than it did of what cannot change while
// it runs.
void require_reloadable(yaml_place const& was, yaml_place const& is);

// The keys of nat44 under which two files say different things.
[[nodiscard]] std::vector<std::string> changed_nat44_keys(yaml_place const& was, yaml_place const& is);

}  // namespace packetwarp
