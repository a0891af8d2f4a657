// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "cli/command.h"
#include "cli/drop_privileges.h"
#include "cli/observer_options.h"
#include "plan/config.h"

namespace packetwarp {

// The options after "--" on an l2fwd or plan command line.
struct l2fwd_options {
  data_plane_config plane;
  run_limits limits;
  std::string json;     // empty: none; "-": standard output
  std::string control;  // path of the control socket; empty: the default, "none": none
  observer_options observers;
  privileges rights{};
};

// Throws usage_error with one line for anything that is unknown, malformed or impossible.
[[nodiscard]] l2fwd_options parse_l2fwd_options(invocation const& call);

}  // namespace packetwarp
