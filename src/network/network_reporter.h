// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "master/report.h"
#include "network/network.h"

namespace packetwarp {

// The reports of a network: the data path's part, and the parts of its tables and its control plane. For the master.
class network_reporter {
 public:
  // Both outlive it.
  network_reporter(std::string command, network& net, supervisor const& watches);

  // Does a slice of the work for a report of this moment, as much as a loop iteration of the master allows; returns the
  // report when it is complete.
  [[nodiscard]] std::optional<telemetry::run_report> step();
  // To be called after the workers' end.
  [[nodiscard]] telemetry::run_report at_end();

 private:
  // Does a slice; true when everything has been counted.
  [[nodiscard]] bool count(readable what);
  void add_parts(telemetry::run_report& to);
  void name_interfaces(telemetry::run_report& in) const;

  network& net_;
  run_reporter path_;
};

}  // namespace packetwarp
