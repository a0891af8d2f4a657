// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "network/network.h"
#include "request/request.h"

namespace packetwarp {

// "show drops": {"drops":[{"stage","drop","interface","port","packets"}]}: each counter of packets that did not leave,
// by its name. Drops of ports, data path and function have the port that received; drops of kernel interfaces have
// theirs; the control plane's have none, and are of the stage "control plane, done" if the packet served its purpose.
// Counters that are 0 are left out unless the argument `all` is "yes". Each call of the work does one interface; net
// outlives the work.
[[nodiscard]] request_work show_drops(request const& asked, network& net);

}  // namespace packetwarp
