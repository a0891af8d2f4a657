// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plan/config.h"

namespace packetwarp {

// --replay PORT=CAPTURE of l2fwd and run.

// Reads values as typed. Throws usage_error with one line.
[[nodiscard]] std::vector<replay_config> parse_replays(std::vector<std::string> const& values);

// Reads the captures of a data plane's replays. Called before the EAL starts. Logs the number of frames that are left
// out. Throws usage_error if the data plane cannot use them, failure for a file that cannot be replayed.
void read_replays(data_plane_config& plane);

}  // namespace packetwarp
