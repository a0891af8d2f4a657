// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/hash_key.h"
#include "function/detect/detect.h"
#include "function/detect/detect_table.h"
#include "module/detect/detect_config.h"
#include "module/detect/detect_report.h"
#include "module/module.h"
#include "pipeline/stage_tables.h"

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
  void on_gpu_lost(int gpu) override;
  void abandon() override;
  [[nodiscard]] std::unique_ptr<module_change> change_to(std::shared_ptr<network_config const> wanted) override;
  [[nodiscard]] bool count(readable what) override;
  void add_report(telemetry::run_report& to) override;
  [[nodiscard]] memory_work memory(run_view const& run) override;

  // All counts as they are now.
  [[nodiscard]] detect_counts counts(readable what) const;
  // Puts other models beside those in force, and later in their place. Throws failure if a GPU has no room.
  void prepare_models(detect_config const& wanted);
  void publish_models(detect_config wanted);

 private:
  class stage final : public tables_of_stage<detect> {
   public:
    explicit stage(detect_module const& of) : of_{of} {}
    [[nodiscard]] table_refs<detect> refs_at(stage_place const& place) const override;

   private:
    detect_module const& of_;
  };

  detect_config config_;
  std::string file_;
  table_places places_;
  // By pipeline of the plan: its GPU's position among the plan's, and its own among that GPU's pipelines.
  struct seat {
    std::size_t gpu{};
    std::size_t on_gpu{};
  };
  std::vector<seat> seats_;
  std::unique_ptr<detect_table>
      cpu_;  // of all pipelines: for executors of the CPU, and executors that take over from a GPU
  std::vector<std::unique_ptr<detect_table>> gpus_;
  stage stage_{*this};
  detect_counts counted_;
};

}  // namespace packetwarp
