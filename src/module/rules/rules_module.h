// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "function/rules/rules.h"
#include "module/module.h"
#include "module/rules/departure_rules.h"
#include "module/rules/rule_tables.h"
#include "module/rules/rules_report.h"
#include "pipeline/stage_tables.h"

namespace packetwarp {

// The module of flow rules.
class rules_module final : public stage_module {
 public:
  // Throws as rule_tables does.
  rules_module(rules_config const& config, module_surroundings const& around);

  [[nodiscard]] std::string_view name() const override { return rules::name; }
  void prepare(plan& planned) override { tables_.prepare(planned); }
  void install(std::deque<port>& ports) override;
  void add_tables(function_tables& to) const override;
  void abandon() override { tables_.abandon(); }
  [[nodiscard]] std::unique_ptr<module_change> change_to(std::shared_ptr<network_config const> wanted) override;
  [[nodiscard]] bool count(readable what) override;
  void restart_count() override { counted_.clear(); }
  void add_report(telemetry::run_report& to) override;

  [[nodiscard]] memory_work memory(run_view const& run) override;

  [[nodiscard]] rule_tables& tables() { return tables_; }

 private:
  class stage final : public tables_of_stage<rules> {
   public:
    explicit stage(rule_tables& tables) : tables_{tables} {}
    [[nodiscard]] table_refs<rules> refs_at(stage_place const& place) const override;

   private:
    rule_tables& tables_;
  };

  table_places places_;
  rule_tables tables_;
  stage stage_{tables_};
  std::optional<departure_rules> departures_;
  std::shared_ptr<network_config const> config_;
  std::map<port_id, std::string> names_;  // of ports, in the network's file
  std::vector<rule_report> counted_;
  std::uint64_t counted_version_{};
};

}  // namespace packetwarp
