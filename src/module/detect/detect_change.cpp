// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/detect_change.h"

#include <fmt/format.h>

#include "module/detect/detect_reader.h"

namespace packetwarp {

bool detect_change::plan() {
  require_evaluable(section(), config_->file,
                    needs_gpu(config_->plane.executor) ? group_kind::warp : group_kind::lone_lane);
  of_.require_mirror(section());
  return true;
}

module_change::facts detect_change::result() const {
  auto const models = section().models.size();
  return {.text = fmt::format("{} models are in force", models), .counts = {{"models", models}}};
}

}  // namespace packetwarp
