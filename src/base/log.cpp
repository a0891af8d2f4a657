// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>

namespace packetwarp {

spdlog::logger& log() {
  static auto const logger = [] {
    auto made = spdlog::stderr_color_mt("packetwarp");
    made->set_pattern("%^%n: %l:%$ %v");
    return made;
  }();
  return *logger;
}

}  // namespace packetwarp
