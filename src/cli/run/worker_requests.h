// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "network/network.h"
#include "request/request.h"

namespace packetwarp {

// Requests to the workers of a running network; each worker answers between two of its loop iterations. net outlives
// the work. Throw usage_error for wrong arguments.

// `{"workers":[{"lcore","role","answered",` and if it did `"loops","busy","big_loops","messages","message_timeouts",`
// `"jobs":[{"name","packets","cycles_per_packet","big_loops"}]}],"master":{"big_loops"},"message_timeout_us"}`
[[nodiscard]] request_work ask_workers(request const& asked, network& net);
// Sets the counts of big loops to zero, the master's too. {"reset":[lcores that have],"missing":[lcores without an
// answer]}
[[nodiscard]] request_work reset_workers(request const& asked, network& net);

}  // namespace packetwarp
