// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace packetwarp::test {

// "packetwarp l2fwd -- " and these words.
[[nodiscard]] inline invocation l2fwd_call(std::vector<std::string> options) {
  return {.program = "packetwarp", .command = "l2fwd", .eal = {}, .options = std::move(options), .wants_help = false};
}

}  // namespace packetwarp::test
