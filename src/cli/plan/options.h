// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"

namespace packetwarp {

struct plan_options {
  invocation call;                    // with its words where they belong
  std::optional<std::string> config;  // the file of a network, as packetwarp run has it; else the options are l2fwd's
};

// -c FILE is among the options, or alone: in front of "--", -c is the EAL's coremask where it is a hexadecimal number.
// Throws usage_error with one line.
[[nodiscard]] plan_options parse_plan_options(invocation call);

}  // namespace packetwarp
