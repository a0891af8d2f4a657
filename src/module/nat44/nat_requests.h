// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/nat44/translation.h"
#include "request/request.h"

namespace packetwarp {

// What is asked about the sessions of a running NAT44. The work goes through the table a slice a call; `nat` outlives
// it. All throw usage_error for arguments that are wrong.

// {"sessions":[{"protocol","inside","outside","idle","state","origin"}, ...], "next": "N"}: a page of those that the
// filters inside, outside (ADDRESS or ADDRESS:PORT), protocol let through, from record `from` on; "next" where there is
// more. Sessions that come and go between the pages are there or not.
[[nodiscard]] request_work list_sessions(request const& asked, translation& nat);
// {"live","udp","tcp","icmp","configured","room","made","ended","evicted","untracked","unlogged","conflicts"}
[[nodiscard]] request_work count_sessions(request const& asked, translation& nat);
// {"saved","file"}: to `file`, or to the network's state file. With a GPU all of its sessions are read first, at once.
[[nodiscard]] request_work save_sessions(request const& asked, translation& nat);

}  // namespace packetwarp
