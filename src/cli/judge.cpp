// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log/log.h"
#include "port/device/requested_device.h"
#include "port/replay/written_capture.h"
#include "telemetry/text_table.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::string what_is_gone(telemetry::run_report const& report) {
  std::vector<std::string> removed;
  for (auto const& p : report.ports) {
    if (p.state == "removed") removed.push_back(fmt::format("port {} ({})", p.id, p.name));
  }
  if (removed.empty()) return "every port has lost its kernel interface";
  return fmt::format("the device{} of {} {} taken away", removed.size() == 1 ? "" : "s",
                     telemetry::with_commas(removed), removed.size() == 1 ? "was" : "were");
}

[[nodiscard]] std::vector<std::string> lost_captures(telemetry::run_report const& report,
                                                     std::span<std::string const> eal) {
  std::vector<std::string> lines;
  for (auto const& device : requested_devices(eal)) {
    auto const port = std::ranges::find(report.ports, device.name, [](auto const& one) { return one.name; });
    if (port == report.ports.end()) continue;
    if (auto line = loss_of_captures(device, port->tx_packets, port->tx_bytes)) lines.push_back(std::move(*line));
  }
  return lines;
}

}  // namespace

int judge(telemetry::run_report const& report, end_cause cause, std::span<std::string const> eal) {
  if (!report.packets.conserved()) {
    log().error("{} packets came in but {} are accounted for: this is a bug in packetwarp", report.packets.rx,
                report.packets.accounted());
    return exit_failure;
  }
  for (auto const& twin : report.twins) {
    if (twin.conserved()) continue;
    log().error("kernel interface {}: not all packets are accounted for: this is a bug in packetwarp", twin.name);
    return exit_failure;
  }
  if (report.checked.wrong != 0) {
    log().error("{} of {} checked packets differ from the CPU's results: the GPU's code or memory is wrong",
                report.checked.wrong, report.checked.packets);
    return exit_failure;
  }
  if (cause == end_cause::ports_gone) {
    log().error("{}; nothing is left to forward between", what_is_gone(report));
    return exit_failure;
  }
  if (auto const lost = lost_captures(report, eal); !lost.empty()) {
    for (auto const& line : lost) log().error("{}", line);
    return exit_failure;
  }
  return exit_success;
}

}  // namespace packetwarp
