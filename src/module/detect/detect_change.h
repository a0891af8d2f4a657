// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "module/detect/detect_module.h"
#include "module/module_change.h"

namespace packetwarp {

// Other models, thresholds or another action, under load; the state of flows and hosts stays.
class detect_change final : public module_change {
 public:
  // of: outlives it. wanted: has a section of `detect`.
  detect_change(detect_module& of, std::shared_ptr<network_config const> wanted)
      : of_{of}, config_{std::move(wanted)} {}

  [[nodiscard]] bool plan() override;
  void prepare() override { of_.prepare_models(section()); }
  void publish() override { of_.publish_models(section()); }
  [[nodiscard]] facts result() const override;

 private:
  [[nodiscard]] detect_config const& section() const { return *config_->sections.find<detect_config>(); }

  detect_module& of_;
  std::shared_ptr<network_config const> config_;
};

}  // namespace packetwarp
