// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "master/capture_service.h"
#include "master/data_plane.h"
#include "request/request.h"

namespace packetwarp {

// "capture": begins a capture, whose file goes to a socket at which the client listens. The answer is given when the
// capture is on. Arguments: stream PATH; stages as "rx,tx"; port NAME|NUMBER; reason; program as
// to_text(filter_program), and filter, its source; packets; bytes; buffer.
//
// aliases: other names of ports, by their positions in the plan. Plane and captures outlive the work. Throws
// usage_error or failure.
[[nodiscard]] request_work carry_out_capture(request const& asked, capture_service& captures, data_plane const& plane,
                                             std::span<std::string const> aliases);

}  // namespace packetwarp
