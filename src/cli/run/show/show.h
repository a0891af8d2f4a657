// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "master/supervisor.h"
#include "network/network.h"
#include "request/request.h"

namespace packetwarp {

// The work of a request "show NOUN" that is no module's; none for other requests. Throws usage_error for an unknown
// noun. Both outlive the work.
[[nodiscard]] request_work show_noun(request const& asked, network& net, supervisor const& watches);

}  // namespace packetwarp
