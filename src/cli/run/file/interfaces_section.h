// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/run/file/port_section.h"
#include "file/yaml_place.h"
#include "module/config.h"

namespace packetwarp {

// The `interfaces` of a network's file, into its config. Returns the devices that their ports name. Throws usage_error
// with FILE:LINE.
[[nodiscard]] std::vector<port_device> read_interfaces(yaml_place const& list, network_config& config);

}  // namespace packetwarp
