// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "master/report.h"
#include "module/nat44/session_tally.h"
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
  // True when all there is has been counted.
  [[nodiscard]] bool count_sessions();
  [[nodiscard]] bool count_rules();
  void add_parts(telemetry::run_report& to);
  void name_interfaces(telemetry::run_report& in) const;

  network& net_;
  run_reporter path_;
  std::optional<session_tally> tally_;
  std::optional<telemetry::nat_report> sessions_;
  std::vector<telemetry::rule_report> rules_;
  std::uint64_t rules_version_{};
};

}  // namespace packetwarp
