// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "module/module_change.h"
#include "module/nat44/nat44_module.h"

namespace packetwarp {

// A change of the config of a NAT44 in service; sessions that the new config allows go on.
class nat44_change final : public module_change {
 public:
  // of: outlives it. wanted: has a section of NAT44.
  nat44_change(nat44_module& of, std::shared_ptr<network_config const> wanted) : of_{of}, config_{std::move(wanted)} {}

  [[nodiscard]] bool plan() override;
  void prepare() override { of_.table().prepare(*change_); }
  void publish() override { of_.publish(std::move(*change_)); }

 private:
  nat44_module& of_;
  std::shared_ptr<network_config const> config_;
  std::optional<nat44_tables::change> change_;
};

}  // namespace packetwarp
