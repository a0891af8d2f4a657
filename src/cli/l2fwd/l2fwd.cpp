// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/eal_start.h"
#include "cli/l2fwd/options.h"
#include "cli/result_file.h"
#include "topology/report.h"

namespace packetwarp {
namespace {

// Whether the run did what it was asked to: it must have accounted for every packet, and have had a port to the end.
[[nodiscard]] int judge(telemetry::run_report const& report, end_cause cause) {
  if (!report.packets.conserved()) {
    log().error("{} packets came in but {} are accounted for: this is a bug in packetwarp", report.packets.rx,
                report.packets.accounted());
    return exit_failure;
  }
  if (report.checked.wrong != 0) {
    log().error("{} of {} packets looked at are not what the CPU makes of them: the GPU's code or memory is wrong",
                report.checked.wrong, report.checked.packets);
    return exit_failure;
  }
  if (cause == end_cause::ports_gone) {
    log().error("every port has lost its kernel interface; nothing is left to forward between");
    return exit_failure;
  }
  return exit_success;
}

}  // namespace

int run_l2fwd(invocation const& call) {
  auto const options = parse_l2fwd_options(call);
  result_file result{options.json};
  auto const eal = start_eal(call);
  data_plane plane{make_plan(options.plane, read_machine())};
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
