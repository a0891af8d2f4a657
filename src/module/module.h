// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

// The objects around a module when it is made. The router's table and the GPUs' domains outlive the module.
struct module_surroundings {
  std::shared_ptr<network_config const> config;
  table_places places;   // of tables that GPUs read too
  router_table& routes;  // that the control plane uses
};

// The control plane of a run, for modules. It outlives their work.
struct control_access {
  control_plane& plane;
  std::function<void(control_actions&)> carry_out;
};

// The most that a call of maintain() may go through, so that the master's other work never waits for a whole table.
struct maintain_budget {
  std::uint32_t entries{12288};  // of tables
};

// Memory that reports may read at the end of a run: a GPU that does not end its work keeps its own.
enum class readable : std::uint8_t { all, host };

// The host side of a stage (function/<name>/): its tables, and their maintenance beside the packets. The network calls
// it, on the master's thread, and knows no module by its name; modules.h lists the modules.
class stage_module {
 public:
  stage_module() = default;
  stage_module(stage_module const&) = delete;
  stage_module& operator=(stage_module const&) = delete;
  virtual ~stage_module() = default;

  // The name of the stage.
  [[nodiscard]] virtual std::string_view name() const = 0;

  // Set-up, in this order. All throw usage_error with FILE:LINE, or failure.
  // Before ports are set up: adds the module's needs to the plan, and notices.
  virtual void prepare(plan& /*planned*/) {}
  // After ports have been started, in the plan's order. They outlive the module.
  virtual void install(std::deque<port>& /*ports*/) {}
  // Adds the tables for executors, valid as long as the module.
  virtual void add_tables(function_tables& to) const = 0;
  virtual void add_hooks(control_hooks& /*to*/) {}
  virtual void attach(control_access const& /*control*/) {}

  // While packets pass: does a slice of the work that depends on time. now: since the network was made.
  virtual void maintain(control_time /*now*/, maintain_budget /*budget*/) {}
  // A GPU with tables is lost (gpu: CUDA's index), and all executors that used it are quiet; no other executor has
  // taken over yet. The network calls it once per GPU.
  virtual void on_gpu_lost(int /*gpu*/) {}
  // The run ends soon: the module begins nothing for packets that would outlast it, and goes on with all that exists.
  virtual void drain() {}
  // After the workers' end, in this order: ends writing that goes on while the network runs.
  virtual void finish(control_time /*now*/) {}
  // Writes the state that outlives the process. Throws failure.
  virtual void save() {}
  // A kernel that nothing can end may still use tables in a GPU's memory: leaves that memory to the process.
  virtual void abandon() {}

  // Makes the change from this module to another file's config. Errors in the file are thrown by the module_change, not
  // here.
  [[nodiscard]] virtual std::unique_ptr<module_change> change_to(std::shared_ptr<network_config const> wanted) = 0;
  // mark() marks entries that changes have replaced; after a grace period reclaim() frees the marked entries.
  virtual void mark() {}
  virtual void reclaim() {}

  // Counts a slice of the module's part of a report; true when all is counted.
  [[nodiscard]] virtual bool count(readable /*what*/) { return true; }
  // The next count() begins anew.
  virtual void restart_count() {}
  // Adds the counts; the next count() begins anew.
  virtual void add_report(telemetry::run_report& /*to*/) {}
  // The memory that the module's tables have set aside, for `show memory`.
  [[nodiscard]] virtual memory_work memory(run_view const& /*run*/) {
    return [](std::vector<memory_row>&) { return true; };
  }
  // The counts of a log that the module writes.
  [[nodiscard]] virtual std::optional<log_counts> log_lines() const { return std::nullopt; }
};

using module_list = std::vector<std::unique_ptr<stage_module>>;

}  // namespace packetwarp
