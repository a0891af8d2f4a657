// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <memory>

#include "module/inspection/inspection_module.h"
#include "module/module_change.h"

namespace packetwarp {

// Other rules or verdicts, under load; the state of flows stays, flowbits and thresholds begin anew.
class inspection_change final : public module_change {
 public:
  // of: outlives it. wanted: has a section of `inspect`.
  inspection_change(inspection_module& of, std::shared_ptr<network_config const> wanted)
      : of_{of}, config_{std::move(wanted)} {}

  // The engines for expressions are made by a thread beside the master.
  [[nodiscard]] bool plan() override;
  void prepare() override { of_.prepare_rules(section(), std::move(engines_)); }
  void publish() override { of_.publish_rules(section()); }
  [[nodiscard]] facts result() const override;

 private:
  [[nodiscard]] inspection_config const& section() const { return *config_->sections.find<inspection_config>(); }

  inspection_module& of_;
  std::shared_ptr<network_config const> config_;
  std::future<regex_engines> making_;
  regex_engines engines_;
};

}  // namespace packetwarp
