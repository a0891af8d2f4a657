// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "module/module_change.h"
#include "module/nat44/translation.h"

namespace packetwarp {

// A change of the config of a NAT44 in service; sessions that the new config allows go on.
class translation_change final : public module_change {
 public:
  // of: outlives it. wanted: has a section of NAT44.
  translation_change(translation& of, std::shared_ptr<network_config const> wanted)
      : of_{of}, config_{std::move(wanted)} {}

  [[nodiscard]] bool plan() override;
  void prepare() override { of_.table().prepare(*change_); }
  void publish() override { of_.publish(std::move(*change_)); }

 private:
  translation& of_;
  std::shared_ptr<network_config const> config_;
  std::optional<nat44_tables::change> change_;
};

}  // namespace packetwarp
