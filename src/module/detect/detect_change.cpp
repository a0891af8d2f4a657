// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/detect_change.h"

#include <fmt/format.h>

namespace packetwarp {

bool detect_change::plan() {
  of_.require_models(section());
  of_.require_mirror(section());
  return true;
}

module_change::facts detect_change::result() const {
  auto const models = section().models.size();
  return {.text = fmt::format("{} models are in force", models), .counts = {{"models", models}}};
}

}  // namespace packetwarp
