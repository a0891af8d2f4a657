// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/nat44/translation.h"
#include "module/run_view.h"
#include "request/request.h"

namespace packetwarp {

// "show nat": what NAT44's outside addresses are for and how many of their ports are in use, from row `from` on,
// `limit` rows at most:
//   {"version","sessions":{...},"limits":{...},"settings":{...},"total","outside":[
//     {"use":"pool","outside","interface","udp","tcp","icmp"},
//     {"use":"static","outside","inside"}, {"use":"port_forward","outside","inside","protocol"}],"next"}
// `sessions` as "nat stats" has them, limits and settings are on the first page. The work goes through tables a slice a
// call; both outlive it.
[[nodiscard]] request_work show_nat(request const& asked, translation& nat, run_view const& run);

}  // namespace packetwarp
