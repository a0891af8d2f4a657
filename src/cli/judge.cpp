// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
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

[[nodiscard]] std::vector<sent_by_port> sent_by_ports(telemetry::run_report const& report) {
  std::vector<sent_by_port> all;
  for (auto const& one : report.ports) {
    all.push_back({.name = one.name, .packets = one.tx_packets, .bytes = one.tx_bytes});
  }
  return all;
}

}  // namespace

bool lack_packets(std::span<sent_by_port const> ports, std::span<std::string const> eal) {
  bool is_found = false;
  for (auto const& device : requested_devices(eal)) {
    auto const port = std::ranges::find(ports, device.name, &sent_by_port::name);
    if (port == ports.end()) continue;
    auto const line = loss_of_captures(device, port->packets, port->bytes);
    if (line) log().error("{}", *line);
    is_found |= line.has_value();
  }
  return is_found;
}

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
  return lack_packets(sent_by_ports(report), eal) ? exit_failure : exit_success;
}

}  // namespace packetwarp
