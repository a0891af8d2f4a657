// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/nat44/nat44_module.h"
#include "module/run_view.h"
#include "request/request.h"

namespace packetwarp {

// Requests about the sessions of a running NAT44. The work goes through the table one slice per call; `nat` outlives
// it. All throw usage_error for wrong arguments.

// {"sessions":[{"protocol","inside","outside","idle","state","origin"}, ...], "next": "N"}: a page of the sessions that
// the filters inside, outside (ADDRESS or ADDRESS:PORT) and protocol let through, from record `from` on; "next" if more
// follow. Sessions that come or go between the pages may be listed or not.
[[nodiscard]] request_work list_sessions(request const& asked, nat44_module& nat);
// {"live","udp","tcp","icmp","configured","room","made","ended","evicted","untracked","unlogged","conflicts"}
[[nodiscard]] request_work count_sessions(request const& asked, nat44_module& nat);
// {"saved","file"}: saves to `file`, which is no other file of the run's own, or to the network's state file. With a
// GPU all of its sessions are read first, at once.
[[nodiscard]] request_work save_sessions(request const& asked, nat44_module& nat, run_view const& run);

}  // namespace packetwarp
