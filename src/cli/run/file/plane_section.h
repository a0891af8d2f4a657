// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "file/yaml_place.h"
#include "plan/config.h"

namespace packetwarp {

// The `data_plane` of a network's file. interfaces: their names, in the order of the ports. Throws usage_error with
// FILE:LINE.
void read_plane_section(yaml_place const& place, std::span<std::string const> interfaces, data_plane_config& plane);

}  // namespace packetwarp
