// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "network/network_reporter.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "network/control_report.h"

namespace packetwarp {

network_reporter::network_reporter(std::string command, network& net, supervisor const& watches)
    : net_{net}, path_{std::move(command), net.plane(), watches} {}

std::optional<telemetry::run_report> network_reporter::step() {
  if (!count(readable::all)) return std::nullopt;
  auto report = path_.now();
  add_parts(report);
  return report;
}

telemetry::run_report network_reporter::at_end() {
  // Counts from the beginning: an earlier count may have stopped in the middle.
  for (auto const& one : net_.modules()) one->restart_count();
  auto const what = net_.plane().runs_on() ? readable::host : readable::all;
  while (!count(what)) {
  }
  auto report = path_.at_end();
  add_parts(report);
  return report;
}

// Counts one module after the other; each remembers that it is done.
bool network_reporter::count(readable what) {
  auto const& all = net_.modules();
  return std::all_of(all.begin(), all.end(), [what](auto const& one) { return one->count(what); });
}

void network_reporter::name_interfaces(telemetry::run_report& in) const {
  std::map<unsigned, std::string> names;  // by port
  auto const& planned = net_.plane().planned().ports;
  auto const& interfaces = net_.config().interfaces;
  for (std::size_t n = 0; n < interfaces.size(); ++n) names[planned[n].facts.id.value()] = interfaces[n].name;
  for (auto& one : in.ports) one.interface = names[one.id];
  for (auto& one : in.pipelines) one.interface = names[one.rx_port];
}

void network_reporter::add_parts(telemetry::run_report& to) {
  name_interfaces(to);
  to.control = make_control_report(net_.control().counters(), net_.plane());
  to.twins = make_twin_report(net_.plane());
  for (auto const& one : net_.modules()) one->add_report(to);
}

}  // namespace packetwarp
