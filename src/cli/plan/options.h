// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"

namespace packetwarp {

struct plan_options {
  invocation call;                    // with its words in their places
  std::optional<std::string> config;  // the network's file, for packetwarp run; without it the options are l2fwd's
};

// -c FILE is among the options, or alone: before "--", -c with a hexadecimal number is the EAL's coremask. Throws
// usage_error with one line.
[[nodiscard]] plan_options parse_plan_options(invocation call);

}  // namespace packetwarp
