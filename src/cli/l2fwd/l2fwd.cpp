// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/eal_start.h"
#include "cli/judge.h"
#include "cli/l2fwd/options.h"
#include "cli/result_file.h"
#include "topology/report.h"

namespace packetwarp {

int run_l2fwd(invocation const& call) {
  auto const options = parse_l2fwd_options(call);
  result_file result{options.json};
  auto const eal = start_eal(call);
  data_plane plane{make_plan(options.plane, read_machine(options.plane.executor))};
  cycles const began = now_cycles();
  supervisor master{plane, options.limits, [&](measurement const& period) {
                      fmt::print(stderr, "{}\n", telemetry::live_line(make_live_period(period, began)));
                    }};
  plane.run(master, std::chrono::seconds{2});
  auto const report = make_report(call.command, plane, master);
  if (!result.is_standard_output()) fmt::print("{}", telemetry::to_text(report));
  result.write(telemetry::to_json(report));
  return judge(report, master.cause());
}

}  // namespace packetwarp
