// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "file/yaml_place.h"
#include "function/detect/detect_table.h"
#include "function/network/bounds.h"
#include "module/config.h"
#include "module/detect/detect_config.h"

namespace packetwarp {

// Reads the section `detect` and its models. Throws usage_error with FILE:LINE, for a model that does not load, too.
// interfaces: of the same file.
[[nodiscard]] detect_config read_detect_section(yaml_place const& place, std::span<interface_config const> interfaces);

// Throws usage_error with FILE:LINE for a model that such a group does not evaluate. file: the network's.
void require_evaluable(detect_config const& config, std::string const& file, group_kind by);

// The models for a table; valid as long as the config.
[[nodiscard]] detect_input input_of(detect_config const& config);

}  // namespace packetwarp
