// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "network/network.h"
#include "request/request.h"

namespace packetwarp {

// What is asked of the workers of a running network, which each of them answers between two of its turns; net outlives
// the work. Throw usage_error for arguments that are wrong.

// {"workers":[{"lcore","role","answered", and where it did "turns","busy","big_loops","messages","message_timeouts",
// "jobs":[{"name","packets","cycles_per_packet","big_loops"}]}],"master":{"big_loops"},"message_timeout_us"}
[[nodiscard]] request_work ask_workers(request const& asked, network& net);
// Big loops are counted anew, the master's too. {"reset":[lcores that have],"missing":[those that did not answer]}
[[nodiscard]] request_work reset_workers(request const& asked, network& net);

}  // namespace packetwarp
