// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/nat44_change.h"

#include <fmt/format.h>

#include "base/error.h"

namespace packetwarp {

bool nat44_change::plan() {
  auto const& wanted = *config_->sections.find<nat44_section>();
  try {
    change_ = of_.table().plan_change(wanted.config);
  } catch (usage_error const& wrong) {
    throw usage_error(fmt::format("{}:{}: {}", config_->file, wanted.line, wrong.what()));
  }
  return true;
}

}  // namespace packetwarp
