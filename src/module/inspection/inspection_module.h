// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "function/inspection/inspection.h"
#include "function/inspection/inspection_table.h"
#include "module/event_log.h"
#include "module/inspection/inspection_config.h"
#include "module/inspection/inspection_report.h"
#include "module/inspection/late_alerts.h"
#include "module/inspection/rule_tally.h"
#include "module/module.h"
#include "module/pipeline_tables.h"

namespace packetwarp {

// The module of intrusion detection: its rules, the tables of each place, and the file of alerts. For the master.
class inspection_module final : public stage_module {
 public:
  // Throws failure if the file of alerts cannot be written.
  inspection_module(inspection_config const& config, module_surroundings const& around);

  [[nodiscard]] std::string_view name() const override { return inspection::name; }
  void prepare(plan& planned) override;
  void install(std::deque<port>& ports) override;
  void add_tables(function_tables& to) const override { to.stages.push_back(&stage_); }
  // Reads the executors' alerts and sets their clock.
  void maintain(control_time now, maintain_budget budget) override;
  void on_gpu_lost(int gpu) override;
  void finish(control_time now) override;
  void abandon() override;
  [[nodiscard]] std::unique_ptr<module_change> change_to(std::shared_ptr<network_config const> wanted) override;
  [[nodiscard]] bool count(readable what) override;
  void add_report(telemetry::run_report& to) override;
  [[nodiscard]] memory_work memory(run_view const& run) override;
  // The counts of the file of alerts; nothing without one.
  [[nodiscard]] std::optional<log_counts> log_lines() const override { return log_.counts(); }

  // All counts as they are now.
  [[nodiscard]] inspection_totals totals(readable what) const;
  // Engines of expressions that rules need: one per pipeline, and one for the packets that GPUs leave to the CPU.
  [[nodiscard]] std::size_t engines() const { return tables_.pipelines() + (tables_.has_gpus() ? 1 : 0); }
  // Puts other rules beside those in force, and later in their place. Throws failure if a GPU has no room.
  void prepare_rules(inspection_config const& wanted, regex_engines engines);
  void publish_rules(inspection_config wanted);

 private:
  void set_clock();
  // All that executors have told so far.
  void read_all();
  // Up to `most` of each part of the tables.
  void read_alerts(std::uint32_t most);
  // Judges the packets that GPUs left to the CPU, `most` at most.
  void judge_late(std::uint32_t most);
  void write_alert(inspection_parts::alert const& seen, std::size_t pipeline, std::span<std::byte const> packet);
  // Splits the engines in those of the pipelines and the last one.
  [[nodiscard]] std::unique_ptr<inspect::regex_library> take_late_engine(regex_engines& engines) const;
  // Before rules take another set's place: no alert of that set comes any more.
  void settle_set(std::size_t set);

  inspection_config config_;
  std::vector<std::string> interfaces_;  // their names, in the plan's order
  pipeline_tables<inspection_table> tables_;
  pipeline_stage_tables<inspection, inspection_table> stage_{tables_};
  std::array<std::shared_ptr<loaded_rules const>, 2> rules_of_set_;
  late_alerts late_;
  std::size_t late_from_{};  // the pipeline whose late packets come first
  rule_tally settled_;       // of rules that are no longer in force
  inspection_totals counted_;
  event_log log_;
  std::uint64_t written_{};  // alerts as lines
  std::uint64_t clock_{};
  control_time now_{};
  std::vector<std::byte> packet_;  // of the alert in hand
};

}  // namespace packetwarp
