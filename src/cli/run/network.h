// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/run/config.h"
#include "cli/run/rule_tables.h"
#include "cli/run/translation.h"
#include "control/control_plane.h"
#include "function/router/router_table.h"
#include "telemetry/run_report.h"
#include "topology/control_service.h"
#include "topology/data_plane.h"

namespace packetwarp {

// A configured network function: the tables, the data path between its ports, and the control plane beside it.
class network {
 public:
  // Throws usage_error that names the config's file and line, or failure.
  network(network_config config, machine_facts const& machine);
  network(network const&) = delete;
  network& operator=(network const&) = delete;
  ~network();

  [[nodiscard]] data_plane& plane() { return *plane_; }
  [[nodiscard]] control_service& control() { return *service_; }
  // The master's work beside its looks: as often as it likes.
  void work(cycles now);
  // After the workers' end.
  void give_up();
  // Nothing where the file has no rules; empty where nobody can tell.
  [[nodiscard]] std::optional<std::vector<telemetry::rule_report>> rules_report() const;

 private:
  [[nodiscard]] interface_index find(std::string const& name) const;
  [[noreturn]] void refuse(int line, std::string const& why) const;
  void add_interfaces(plan const& planned);
  void add_functions(plan& planned);
  [[nodiscard]] function_tables tables();
  void add_routes();
  void add_neighbours();

  network_config config_;
  router_table router_;
  std::optional<translation> translation_;
  std::optional<rule_tables> rules_;
  std::unique_ptr<data_plane> plane_;
  std::unique_ptr<control_plane> control_;
  std::unique_ptr<control_service> service_;
};

}  // namespace packetwarp
