// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/control_plane.h"
#include "master/capture_service.h"
#include "master/data_plane.h"
#include "module/change_turns.h"
#include "module/config.h"
#include "module/module.h"
#include "module/run_view.h"
#include "network/control_service.h"
#include "routing/router_table.h"
#include "worker/worker_watch.h"

namespace packetwarp {

// The routes that kernel interfaces announce, while a run drains. kept: for a restart before which no other router is
// to take over; the kernel interfaces stay, too, when the run has ended.
enum class announced_routes : std::uint8_t { withdrawn, kept };

// A configured network: its modules, the data path between its ports, and the control plane beside it. It knows no
// module by its name, except the router's table, which the control plane uses.
class network final : public run_view {
 public:
  // Throws usage_error with the config's file and line, or failure.
  network(network_config config, machine_facts const& machine);
  network(network const&) = delete;
  network& operator=(network const&) = delete;
  ~network() override;

  [[nodiscard]] data_plane& plane() override { return *plane_; }
  [[nodiscard]] control_service& control() { return *service_; }
  [[nodiscard]] capture_service& captures() { return *captures_; }
  [[nodiscard]] module_list const& modules() const { return modules_; }
  // Finds a module by its name; nullptr if the network has none.
  [[nodiscard]] stage_module* find(std::string_view module) const;
  [[nodiscard]] change_turns& turns() override { return *turns_; }

  [[nodiscard]] network_config const& config() const override { return *config_; }
  void set_config(std::shared_ptr<network_config const> is) {
    config_ = std::move(is);
    ++version_;
  }
  [[nodiscard]] std::shared_ptr<network_config const> shared_config() const { return config_; }
  [[nodiscard]] std::uint64_t version() const override { return version_; }
  [[nodiscard]] bool is_changing() const override { return turns_->is_changing(); }
  [[nodiscard]] std::vector<std::string> own_files() const override;
  // own_files() has these, too: the files that the command line names.
  void set_files_of_command(std::vector<std::string> files) { files_of_command_ = std::move(files); }
  // The tables that packets and the control plane use, for reading. For the master.
  [[nodiscard]] router_table const& router() const { return router_; }
  [[nodiscard]] control_time now() const override { return service_->time_of(now_cycles()); }
  [[nodiscard]] neighbour_cache const& neighbours() const override { return control_->neighbours(); }

  // Tells that a port has its link again. For the master.
  void link_came_up(port_id which);
  // The master's work beside its checks; it may be called as often as the master likes.
  void work(cycles now, run_phase phase);
  // How long the master may sleep between two calls of work().
  [[nodiscard]] std::chrono::nanoseconds rest() const;
  // The run ends soon, and goes on forwarding until then: no module begins anything new, and withdrawn routes are no
  // longer in the kernel, for routing daemons to hear of. The last call decides what becomes of the kernel interfaces.
  void drain(announced_routes how);
  // To be called after the workers' end.
  void give_up();
  // To be called after give_up(): writes the state that outlives the process. Throws failure.
  void save();
  // To be called after save(), before the end of the process.
  void keep_twins();

 private:
  void serve_twins(tick const& t);
  void make_modules(plan& planned);
  void make_control();

  [[nodiscard]] table_places places() const;

  std::shared_ptr<network_config const> config_;
  std::uint64_t version_{};
  std::vector<std::string> files_of_command_;
  gpu_domains domains_;  // of the GPUs that have tables, by their index
  router_table router_;
  module_list modules_;
  std::unique_ptr<data_plane> plane_;
  std::unique_ptr<control_plane> control_;
  std::unique_ptr<control_service> service_;
  std::unique_ptr<capture_service> captures_;
  cycles served_{};                                     // when a kernel interface last had packets
  announced_routes left_{announced_routes::withdrawn};  // and the kernel interfaces, at the end
  std::optional<change_turns> turns_;
  std::optional<worker_watch> watch_;
};

}  // namespace packetwarp
