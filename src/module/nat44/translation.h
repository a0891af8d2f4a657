// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>
#include <memory>
#include <optional>
#include <vector>

#include "base/log/log_writer.h"
#include "control/control_plane.h"
#include "executor/gpu/sweep/sweep.h"
#include "function/nat44/nat44.h"
#include "function/nat44/nat44_table.h"
#include "function/nat44/session/session_log.h"
#include "function/router/router_table.h"
#include "module/nat44/nat44_section.h"
#include "module/nat44/session_save.h"

namespace packetwarp {

// The NAT44 of a network, and what it needs beside the packets: its clock, aging, the session log, and what the control
// plane has to know of it. The master's.
class translation {
 public:
  // routes outlives it. Throws usage_error or failure.
  translation(nat44_section const& section, router_table& routes, table_place place);

  [[nodiscard]] nat44_table& table() { return table_; }
  [[nodiscard]] control_hooks hooks();
  // All addresses that packets come to: of the pool, of port forwards, static ones.
  [[nodiscard]] std::vector<wire::ipv4_address> outside_addresses() const;
  // What time brings. now: since the network was made.
  void maintain(control_time now);
  // The GPU that had the tables is lost, and all that worked there is quiet. Before any executor takes over.
  void gpu_lost();
  void abandon();
  // Of the session log; nothing where there is none.
  [[nodiscard]] std::optional<log_counts> log_lines() const {
    return log_ ? std::optional{log_->counts()} : std::nullopt;
  }
  // At the end, after the last maintain().
  void finish_log();
  // The file that keeps sessions over a restart; empty: none.
  [[nodiscard]] std::string const& state() const { return state_; }
  // Writes it, where there is one. At the end. Throws failure.
  void save_state();
  // Begins to save sessions to a file; maintain() goes on with it. Nothing while another save is under way. With a GPU
  // its idle times are those of the table's last read_back().
  [[nodiscard]] std::shared_ptr<session_save const> begin_save(std::string const& path);

 private:
  void sweep();
  void restore_state();
  void keep_state(std::uint32_t seconds);
  void keep_wall_clock();
  void open_log(nat44_section const& section);

  nat44_table table_;
  router_table& routes_;
  std::string state_;
  std::uint32_t state_period_;  // seconds; 0: at the end only
  std::shared_ptr<session_save> saving_;
  std::uint32_t saved_{};  // when the last save began
  bool has_complained_{};  // of a state that cannot be saved
  std::optional<log_writer> log_;
  std::unique_ptr<gpu_sweeper> sweeper_;
  gpu_domain* domain_;  // nullptr where the tables are the host's
  std::uint32_t sweeps_missed_{};
  std::uint32_t seconds_{};
  std::time_t began_{};  // second 0, by the wall clock
};

// Of the session log; 0 where there is none.
[[nodiscard]] inline std::uint64_t lost_lines(translation const& nat) {
  return nat.log_lines().value_or(log_counts{}).lost;
}

}  // namespace packetwarp
