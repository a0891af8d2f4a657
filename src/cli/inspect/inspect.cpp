// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/inspect/tasks.h"

namespace packetwarp {

int run_inspect(invocation const& call) {
  auto const options = parse_inspect_options(call);
  return options.what == inspect_options::task::check ? check_inspect_rules(options) : inspect_capture(options);
}

}  // namespace packetwarp
