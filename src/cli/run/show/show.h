// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/control/line_server.h"
#include "cli/control/request.h"
#include "master/supervisor.h"
#include "network/network.h"

namespace packetwarp {

// The work behind a request "show NOUN"; none for other requests. Throws usage_error for a noun that is none of show's,
// or that the network does not have. Both outlive the work.
[[nodiscard]] request_work show_noun(request const& asked, network& net, supervisor const& watches);

}  // namespace packetwarp
