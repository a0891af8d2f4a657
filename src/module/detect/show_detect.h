// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/detect/detect_module.h"
#include "module/run_view.h"
#include "request/request.h"

namespace packetwarp {

// The request "show detect". The module outlives the work. Throws usage_error for wrong arguments.
[[nodiscard]] request_work show_detect(request const& asked, detect_module const& of, run_view& run);

}  // namespace packetwarp
