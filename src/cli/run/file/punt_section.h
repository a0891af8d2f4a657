// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file/yaml_place.h"
#include "punt/punt_limits.h"

namespace packetwarp {

// The `punt` of a network's file: limits by class; missing limits keep their defaults. Throws usage_error with
// FILE:LINE.
[[nodiscard]] punt_limits read_punt_section(yaml_place const& place);

}  // namespace packetwarp
