// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file/yaml_place.h"
#include "module/rules/rules_config.h"

namespace packetwarp {

// The `rules` of a network's file. Throws usage_error with FILE:LINE.
[[nodiscard]] rules_config read_rules_section(yaml_place const& place);

}  // namespace packetwarp
