// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log/log_writer.h"
#include "control/control_plane.h"
#include "memory/table_memory.h"
#include "module/config.h"
#include "module/memory_row.h"
#include "module/module_change.h"
#include "pipeline/function_tables.h"
#include "plan/plan.h"
#include "port/port.h"
#include "telemetry/run_report.h"

namespace packetwarp {

class router_table;
class run_view;

// What a module is made between. The router's table and the GPU's domain outlive the module.
struct module_surroundings {
  std::shared_ptr<network_config const> config;
  table_place place;     // of tables that a GPU reads too
  router_table& routes;  // that the control plane works on
};

// The control plane of a run, for modules. It outlives their work.
struct control_access {
  control_plane& plane;
  std::function<void(control_actions&)> carry_out;
};

// Memory that reports may read at the end of a run: a GPU that does not end its work keeps its own.
enum class readable : std::uint8_t { all, host };

// The host side of a stage (function/<name>/): its tables, and what they need beside the packets. The network calls it,
// on the master's thread, and knows no module by its name; modules.h lists those that there are.
class stage_module {
 public:
  stage_module() = default;
  stage_module(stage_module const&) = delete;
  stage_module& operator=(stage_module const&) = delete;
  virtual ~stage_module() = default;

  // The stage's.
  [[nodiscard]] virtual std::string_view name() const = 0;

  // Set-up, in this order. All throw usage_error with FILE:LINE, or failure.
  // Before ports are set up: says what the module needs of them, and adds notices.
  virtual void prepare(plan& /*planned*/) {}
  // Ports have been started, in the plan's order. They outlive the module.
  virtual void install(std::deque<port>& /*ports*/) {}
  // Adds the tables that executors get, valid as long as the module.
  virtual void add_tables(function_tables& to) const = 0;
  virtual void add_hooks(control_hooks& /*to*/) {}
  virtual void attach(control_access const& /*control*/) {}

  // While packets pass: a slice of the work that time brings. now: since the network was made.
  virtual void maintain(control_time /*now*/) {}
  // The GPU that has the tables is lost, and all executors that used it are quiet; none has taken over yet.
  virtual void on_gpu_lost() {}
  // After the workers' end, then: ends what is written while the network runs.
  virtual void finish(control_time /*now*/) {}
  // Writes what is to outlive the process. Throws failure.
  virtual void save() {}
  // A kernel that nobody can end may still use tables in a GPU's memory: leaves that memory to the process.
  virtual void abandon() {}

  // The change that makes this module what another file asks for. Throws nothing of the file: module_change does.
  [[nodiscard]] virtual std::unique_ptr<module_change> change_to(std::shared_ptr<network_config const> wanted) = 0;
  // Marks entries that changes have replaced, and after a grace period gives those that were marked to others.
  virtual void mark() {}
  virtual void reclaim() {}

  // Counts a slice of what a report says of the module; true when all is counted.
  [[nodiscard]] virtual bool count(readable /*what*/) { return true; }
  // The next count() begins anew.
  virtual void restart_count() {}
  // Adds what was counted; the next count() begins anew.
  virtual void add_report(telemetry::run_report& /*to*/) {}
  // What the module's tables have set aside, for `show memory`.
  [[nodiscard]] virtual memory_work memory(run_view const& /*run*/) {
    return [](std::vector<memory_row>&) { return true; };
  }
  // Of a log that the module writes.
  [[nodiscard]] virtual std::optional<log_counts> log_lines() const { return std::nullopt; }
};

using module_list = std::vector<std::unique_ptr<stage_module>>;

}  // namespace packetwarp
