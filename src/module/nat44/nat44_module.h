// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>
#include <memory>
#include <optional>
#include <vector>

#include "control/control_plane.h"
#include "executor/gpu/sweep/sweep.h"
#include "function/nat44/nat44.h"
#include "function/nat44/nat44_tables.h"
#include "module/module.h"
#include "module/nat44/nat44_log.h"
#include "module/nat44/nat44_section.h"
#include "module/nat44/session_save.h"
#include "module/nat44/session_tally.h"
#include "pipeline/stage_tables.h"

namespace packetwarp {

// NAT44's module: its tables, its clock, aging, the session log, and the data about it that the control plane needs.
// For the master.
class nat44_module final : public stage_module {
 public:
  // Throws usage_error or failure.
  nat44_module(nat44_section const& section, table_places const& places);

  [[nodiscard]] std::string_view name() const override { return nat44::name; }
  void add_tables(function_tables& to) const override { to.stages.push_back(&stage_); }
  void add_hooks(control_hooks& to) override;
  void attach(control_access const& control) override;
  // A third of the budget is for aging, which the parts of several GPUs share, the rest for a save that is under way.
  void maintain(control_time now, maintain_budget budget) override;
  void on_gpu_lost(int gpu) override;
  void drain() override { tables_.refuse_new_sessions(); }
  void finish(control_time now) override;
  void save() override;
  void abandon() override;
  [[nodiscard]] std::unique_ptr<module_change> change_to(std::shared_ptr<network_config const> wanted) override;
  [[nodiscard]] bool count(readable what) override;
  void restart_count() override;
  void add_report(telemetry::run_report& to) override;
  // The counts of the session log; nothing without one.
  [[nodiscard]] std::optional<log_counts> log_lines() const override {
    return log_ ? std::optional{log_->counts()} : std::nullopt;
  }

  [[nodiscard]] memory_work memory(run_view const& run) override;

  [[nodiscard]] nat44_tables& table() { return tables_; }
  // Puts a planned and prepared change into force; neighbours hear of new addresses.
  void publish(nat44_tables::change made);
  // The file that keeps sessions over a restart; empty: none.
  [[nodiscard]] std::string const& state() const { return state_; }
  // Begins to save sessions to a file; maintain() continues it. Nothing while another save is under way. With a GPU its
  // idle times are the ones of the table's last read_back(). own: files of the run that the save must not replace.
  [[nodiscard]] std::shared_ptr<session_save const> begin_save(std::string const& path,
                                                               std::vector<std::string> own = {});

 private:
  class stage final : public tables_of_stage<nat44> {
   public:
    explicit stage(nat44_tables const& tables) : tables_{tables} {}
    [[nodiscard]] table_refs<nat44> refs_at(stage_place const& place) const override {
      auto const& part = tables_.part(place.planned.gpu_position);
      return {part.cpu(), part.gpu()};
    }

   private:
    nat44_tables const& tables_;
  };
  // A GPU with tables, for as long as it works.
  struct table_gpu {
    gpu_domain* domain;  // nullptr: lost
    std::unique_ptr<gpu_sweeper> sweeper;
    std::uint32_t sweeps_missed{};
  };
  // All addresses that packets come to: the pool's, the port forwards', static ones.
  [[nodiscard]] std::vector<wire::ipv4_address> outside_addresses() const;
  // Ages the sessions of the n-th GPU there.
  void sweep(std::size_t n);
  [[nodiscard]] bool has_gpu() const;
  void begin_log(nat44_section const& section);
  // The number of sessions that go on.
  [[nodiscard]] std::uint64_t restore_state(nat44_log::time until);
  // The sessions end with the run.
  void log_ends();
  [[nodiscard]] nat::journal_entry ended_now(std::uint64_t inside, std::uint64_t outside) const;
  void keep_state(std::uint32_t seconds, std::uint32_t records);
  void keep_wall_clock();

  nat44_tables tables_;
  stage stage_{tables_};
  control_plane* control_{};
  std::string state_;
  std::uint32_t state_period_;  // seconds; 0: at the end only
  std::shared_ptr<session_save> saving_;
  std::uint32_t saved_{};  // when the last save began
  bool has_complained_{};  // of a state that cannot be saved
  std::optional<nat44_log> log_;
  std::vector<table_gpu> gpus_;  // by part; empty if the tables are the host's alone
  std::uint32_t seconds_{};
  std::time_t began_{};  // second 0, by the wall clock
  std::optional<session_tally> tally_;
  std::optional<nat_report> counted_;
};

// The lost lines of the session log; 0 without one.
[[nodiscard]] inline std::uint64_t lost_lines(nat44_module const& nat) {
  return nat.log_lines().value_or(log_counts{}).lost;
}

}  // namespace packetwarp
