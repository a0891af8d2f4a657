// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "topology/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "cli/command.h"
#include "cli/eal_start.h"
#include "cli/l2fwd/options.h"
#include "port/capture_file.h"

namespace packetwarp {

int run_plan(invocation const& call) {
  auto const options = parse_l2fwd_options(call);
  auto opened = call;
  std::ranges::transform(opened.eal, opened.eal.begin(), without_outputs);
  auto const eal = start_eal(opened);
  fmt::print("{}", describe(make_plan(options.plane, read_machine())));
  return exit_success;
}

}  // namespace packetwarp
