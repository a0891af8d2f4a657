// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/inspection/inspection_module.h"
#include "request/request.h"

namespace packetwarp {

// The request "show inspect". The module outlives the work. Throws usage_error for wrong arguments.
[[nodiscard]] request_work show_inspection(request const& asked, inspection_module const& of);

}  // namespace packetwarp
