// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command.h"

namespace packetwarp {

struct features_options {
  std::string pcap{};
  std::string out{"-"};
  std::string label{};  // empty: no such column
};

// No EAL is started: options may stand before "--" or after it. Throws usage_error.
[[nodiscard]] features_options parse_features_options(invocation const& call);

}  // namespace packetwarp
