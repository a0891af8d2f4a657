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

#include "base/log/log_writer.h"
#include "function/inspection/inspection.h"
#include "function/inspection/inspection_table.h"
#include "module/inspection/inspection_config.h"
#include "module/inspection/inspection_report.h"
#include "module/inspection/late_alerts.h"
#include "module/inspection/rule_tally.h"
#include "module/module.h"
#include "pipeline/stage_tables.h"

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
  [[nodiscard]] std::optional<log_counts> log_lines() const override {
    return log_ ? std::optional{log_->counts()} : std::nullopt;
  }

  // All counts as they are now.
  [[nodiscard]] inspection_totals totals(readable what) const;
  // Engines of expressions that rules need: one per pipeline, and one for the packets that GPUs leave to the CPU.
  [[nodiscard]] std::size_t engines() const { return seats_.size() + (places_.empty() ? 0 : 1); }
  // Puts other rules beside those in force, and later in their place. Throws failure if a GPU has no room.
  void prepare_rules(inspection_config const& wanted, regex_engines engines);
  void publish_rules(inspection_config wanted);

 private:
  class stage final : public tables_of_stage<inspection> {
   public:
    explicit stage(inspection_module const& of) : of_{of} {}
    [[nodiscard]] table_refs<inspection> refs_at(stage_place const& place) const override;

   private:
    inspection_module const& of_;
  };
  // By pipeline of the plan: its GPU's position among the plan's, and its own among that GPU's pipelines.
  struct seat {
    std::size_t gpu{};
    std::size_t on_gpu{};
    std::string interface;
  };

  void open_log();
  void set_clock();
  // All that executors have told so far.
  void read_all();
  void read_alerts(std::uint32_t most);
  void read_alerts(inspection_table& of, std::size_t n, std::size_t pipeline, std::uint32_t most);
  // Judges the packets that GPUs left to the CPU, `most` at most.
  void judge_late(std::uint32_t most);
  void write_alert(inspection_parts::alert const& seen, std::size_t pipeline, std::span<std::byte const> packet);
  // Splits the engines in those of the pipelines and the last one.
  [[nodiscard]] std::unique_ptr<inspect::regex_library> take_late_engine(regex_engines& engines) const;
  // Before rules take another set's place: no alert of that set comes any more.
  void settle_set(std::size_t set);
  [[nodiscard]] std::vector<inspection_table const*> tables(readable what) const;

  inspection_config config_;
  std::vector<std::string> interfaces_;  // their names, in the plan's order
  table_places places_;
  std::vector<seat> seats_;
  std::unique_ptr<inspection_table> cpu_;  // for executors of the CPU, and executors that take over from a GPU
  std::vector<std::unique_ptr<inspection_table>> gpus_;
  stage stage_{*this};
  std::array<std::shared_ptr<loaded_rules const>, 2> rules_of_set_;
  late_alerts late_;
  std::size_t late_from_{};  // the pipeline whose late packets come first
  rule_tally settled_;       // of rules that are no longer in force
  inspection_totals counted_;
  std::optional<log_writer> log_;
  std::uint64_t written_{};  // alerts as lines
  std::uint64_t clock_{};
  control_time now_{};
  std::vector<std::byte> packet_;  // of the alert in hand
};

}  // namespace packetwarp
