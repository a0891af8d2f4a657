// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plan/config.h"

namespace packetwarp {

// --replay PORT=CAPTURE of l2fwd and run.

// Each value as it was typed. Throws usage_error with one line.
[[nodiscard]] std::vector<replay_config> parse_replays(std::vector<std::string> const& values);

// Before the EAL starts: the captures of a data plane's replays. What is left out of one is logged. Throws usage_error
// where it has no use for them, failure for a file that cannot be replayed.
void read_replays(data_plane_config& plane);

}  // namespace packetwarp
