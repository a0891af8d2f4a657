// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/control/line_server.h"
#include "cli/control/request.h"
#include "network/network.h"

namespace packetwarp {

// "show nat": what NAT44's outside addresses are for and how many of their ports are in use, from row `from` on,
// `limit` rows at most:
//   {"version","sessions":{...},"limits":{...},"settings":{...},"total","outside":[
//     {"use":"pool","outside","interface","udp","tcp","icmp"},
//     {"use":"static","outside","inside"}, {"use":"port_forward","outside","inside","protocol"}],"next"}
// `sessions` as "nat stats" has them, limits and settings are on the first page. The work goes through tables a slice a
// call; net outlives it. Throws usage_error where the network has no nat44.
[[nodiscard]] request_work show_nat(request const& asked, network& net);

}  // namespace packetwarp
