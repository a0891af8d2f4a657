// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file/yaml_place.h"
#include "module/inspection/inspection_config.h"

namespace packetwarp {

// Reads the section and the files of rules that it names. Throws usage_error with FILE:LINE.
[[nodiscard]] inspection_config read_inspection_section(yaml_place const& place);

// The rules, as tables take them. Valid as long as the config.
[[nodiscard]] inspection_input input_of(inspection_config const& config);

}  // namespace packetwarp
