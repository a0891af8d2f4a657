// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "file/yaml_place.h"
#include "module/twin_section.h"

namespace packetwarp {

// `true`, or a map. Nothing for `false`. interface: the twin's interface, by name. Throws usage_error with FILE:LINE.
[[nodiscard]] std::optional<twin_section> read_twin_section(yaml_place const& place, std::string const& interface);

}  // namespace packetwarp
