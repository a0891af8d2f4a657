// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file/yaml_place.h"
#include "network/network.h"
#include "request/request.h"

namespace packetwarp {

// Has a running network be what its file says now: all of it is read and checked, on a thread of its own, before the
// first thing is changed, and all of it is changed or nothing. Routes and neighbours change one after the other, a few
// at a time; packets meet those of before or those of after. The answer is {"text", "routes", "neighbours"}: how many
// of these have changed. in_force: what the network is read from now, and from then on. Both outlive the work.
[[nodiscard]] request_work reload(network& net, yaml_place& in_force);

}  // namespace packetwarp
