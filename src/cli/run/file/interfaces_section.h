// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file/yaml_place.h"
#include "module/config.h"

namespace packetwarp {

// The `interfaces` of a network's file, into its config. Throws usage_error with FILE:LINE.
void read_interfaces(yaml_place const& list, network_config& config);

}  // namespace packetwarp
