// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/hash_key.h"
#include "function/detect/detect.h"
#include "function/detect/detect_table.h"
#include "module/detect/anomaly_watch.h"
#include "module/detect/detect_config.h"
#include "module/detect/detect_report.h"
#include "module/event_log.h"
#include "module/module.h"
#include "module/pipeline_tables.h"

namespace packetwarp {

// The module of anomaly detection: its models, and the tables of each pipeline. For the master.
class detect_module final : public stage_module {
 public:
  // Throws usage_error with FILE:LINE for a model that the executor cannot evaluate.
  detect_module(detect_config const& config, module_surroundings const& around);

  [[nodiscard]] std::string_view name() const override { return detect::name; }
  void prepare(plan& planned) override;
  void install(std::deque<port>& ports) override;
  void add_tables(function_tables& to) const override { to.stages.push_back(&stage_); }
  // Reads the executors' records of flows with anomalous packets.
  void maintain(control_time now, maintain_budget budget) override;
  void on_gpu_lost(int gpu) override;
  void finish(control_time now) override;
  void abandon() override;
  [[nodiscard]] std::unique_ptr<module_change> change_to(std::shared_ptr<network_config const> wanted) override;
  [[nodiscard]] bool count(readable what) override;
  void add_report(telemetry::run_report& to) override;
  [[nodiscard]] memory_work memory(run_view const& run) override;
  // The counts of the file of events; nothing without one.
  [[nodiscard]] std::optional<log_counts> log_lines() const override { return log_.counts(); }

  // All counts as they are now.
  [[nodiscard]] detect_counts counts(readable what) const;
  // Throws usage_error for models that its executors do not evaluate, or were not made for.
  void require_models(detect_config const& wanted) const;
  // Throws usage_error for copies that pipelines were not made for.
  void require_mirror(detect_config const& wanted) const;
  // Puts other models beside those in force, and later in their place. Throws failure if a GPU has no room.
  void prepare_models(detect_config const& wanted);
  void publish_models(detect_config wanted);

 private:
  // Up to `most` of each part of the tables.
  void read_records(std::uint32_t most);
  // Before models take another set's place: no record of that set comes any more.
  void read_all_records();
  [[nodiscard]] static deciding_model decider_of(detect_config const& config);

  detect_config config_;
  std::string began_mirror_to_;  // of the file that the network began with; empty: without copies
  std::string file_;
  executor_kind executor_;
  bool began_with_large_;
  std::size_t shared_bytes_{};           // of a block on the GPU with the least; 0: not known
  std::vector<std::string> interfaces_;  // their names, in the plan's order
  pipeline_tables<detect_table> tables_;
  pipeline_stage_tables<detect, detect_table> stage_{tables_};
  detect_counts counted_;
  std::array<deciding_model, 2> deciders_;  // by the position of their set
  event_log log_;
  anomaly_watch watch_;
  control_time now_{};
};

}  // namespace packetwarp
