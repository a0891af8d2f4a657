// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/nat44/nat44_module.h"
#include "module/run_view.h"
#include "request/request.h"

namespace packetwarp {

// "show nat": the use of NAT44's outside addresses and how many of their ports are taken, from row `from` on, `limit`
// rows at most:
//   {"version","sessions":{...},"limits":{...},"settings":{...},"total","outside":[
//     {"use":"pool","outside","interface","udp","tcp","icmp"},
//     {"use":"static","outside","inside"}, {"use":"port_forward","outside","inside","protocol"}],"next"}
// `sessions` are as of "nat stats"; limits and settings are on the first page. The work goes through tables one slice
// per call; both outlive it.
[[nodiscard]] request_work show_nat(request const& asked, nat44_module& nat, run_view const& run);

}  // namespace packetwarp
