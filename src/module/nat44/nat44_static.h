// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file/yaml_place.h"
#include "function/nat44/nat44_config.h"
#include "module/nat44/nat44_addresses.h"

namespace packetwarp {

// Reads the list `static` of a section nat44, whose pool has been read: static addresses, and port forwards. Throws
// usage_error with the line of an entry that uses a value of the pool or of an earlier entry.
void read_static(yaml_place const& place, nat_sides const& sides, nat44_config& config);

}  // namespace packetwarp
