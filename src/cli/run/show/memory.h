// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "network/network.h"
#include "request/request.h"

namespace packetwarp {

// "show memory": {"memory":[{"what","of","used","room","unit","bytes","gpu_bytes"}]}: packet pools, tables and rings,
// with their use at this moment and their room. null: not known, or without a bound of its own. bytes are the memory
// set aside for the room, of which a table on the host takes only the pages that it has used. Packet pools and sessions
// are counted one slice per call; net outlives the work.
[[nodiscard]] request_work show_memory(request const& asked, network& net);

}  // namespace packetwarp
