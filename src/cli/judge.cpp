// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/judge.h"

#include "base/error.h"
#include "base/log.h"

namespace packetwarp {

int judge(telemetry::run_report const& report, end_cause cause) {
  if (!report.packets.conserved()) {
    log().error("{} packets came in but {} are accounted for: this is a bug in packetwarp", report.packets.rx,
                report.packets.accounted());
    return exit_failure;
  }
  for (auto const& kernel : report.kernels) {
    if (kernel.conserved()) continue;
    log().error("kernel interface {}: not all packets are accounted for: this is a bug in packetwarp", kernel.name);
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

}  // namespace packetwarp
