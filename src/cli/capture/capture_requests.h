// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "file/distinct_files.h"
#include "master/capture_service.h"
#include "master/data_plane.h"
#include "request/request.h"

namespace packetwarp {

// The run whose packets are captured.
struct captured_run {
  std::vector<std::string> aliases;  // other names of ports, by their positions in the plan
  std::vector<std::string> files;    // its own, which a capture must not overwrite
};

// "DEVICE:INODE"
[[nodiscard]] std::string to_text(file_id id);

// "capture": begins a capture, whose file goes to a socket at which the client listens. The answer is given when the
// capture is on. Arguments: stream PATH; stages as "rx,tx"; port NAME|NUMBER; reason; program as
// to_text(filter_program), and filter, its source; packets; bytes; buffer; file as to_text(file_id), the client's,
// which is refused if it is one of the run's own.
//
// Plane and captures outlive the work. Throws usage_error or failure.
[[nodiscard]] request_work carry_out_capture(request const& asked, capture_service& captures, data_plane const& plane,
                                             captured_run const& of);

}  // namespace packetwarp
