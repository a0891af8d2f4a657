// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "module/module.h"
#include "module/run_view.h"
#include "request/request.h"

namespace packetwarp {

// A request that a running network accepts about one of its modules.
struct module_command {
  std::string_view name;  // as in requests: "flow", "show routes"
  // Makes the work of a request. `of` is a module of the kind that has the command; it and the run outlive the work.
  // Throws usage_error for wrong arguments.
  request_work (*make)(request const& asked, stage_module& of, run_view& run);
  std::string_view absent;  // the error if the network has no such module
};

}  // namespace packetwarp
