// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/run/file/yaml_reader.h"
#include "module/config.h"

namespace packetwarp {

// The `interfaces` of a network's file, into its config. Throws usage_error with FILE:LINE.
void read_interfaces(yaml_place const& list, network_config& config);

// Throws usage_error for a name that none of the config's interfaces has.
void require_interface(network_config const& config, yaml_place const& place);

}  // namespace packetwarp
