// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "master/report.h"
#include "network/network.h"

namespace packetwarp {

// The reports of a network: the data path's, and what its tables and its control plane have to say. The master's.
class network_reporter {
 public:
  // Both outlive it.
  network_reporter(std::string command, network& net, supervisor const& watches);

  // A slice of the work towards a report of the moment, as much as a look of the master may take; the report when it is
  // complete.
  [[nodiscard]] std::optional<telemetry::run_report> step();
  // After the workers' end.
  [[nodiscard]] telemetry::run_report at_end();

 private:
  // A slice; true when all there is has been counted.
  [[nodiscard]] bool count(readable what);
  void add_parts(telemetry::run_report& to);
  void name_interfaces(telemetry::run_report& in) const;

  network& net_;
  run_reporter path_;
};

}  // namespace packetwarp
