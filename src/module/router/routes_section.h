// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file/yaml_place.h"
#include "module/config.h"

namespace packetwarp {

// The `routes` and `neighbours` of a network's file, into its config, which has the interfaces. Throws usage_error with
// FILE:LINE.
void read_routes(yaml_place const& list, network_config& config);
void read_neighbours(yaml_place const& list, network_config& config);

}  // namespace packetwarp
