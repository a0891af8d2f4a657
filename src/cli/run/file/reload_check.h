// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "file/yaml_place.h"
#include "module/module_kind.h"

namespace packetwarp {

// Throws usage_error with FILE:LINE if a network's file changes a setting that cannot change while the network runs.
void require_reloadable(yaml_place const& was, yaml_place const& is);

// The keys of a module that differ between two files, among the keys that the module has told.
[[nodiscard]] std::vector<std::string> changed_keys(module_kind const& of, yaml_place const& was, yaml_place const& is);

}  // namespace packetwarp
