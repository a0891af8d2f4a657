// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "inspect/language/variable_check.h"
#include "wire/right_checksums.h"

namespace packetwarp {

struct inspect_options {
  enum class task { check, run };
  // Whether rules that are left out make the command fail.
  enum class rule_demand { report, require };
  task what{};
  rule_demand demand{};
  std::vector<std::string> rules{};
  std::string pcap{};
  std::string out{"-"};
  std::string json{};
  wire::checksum_handling checksums{};
  inspect::variables known{};        // Suricata's, and those of --var
  inspect::given_variables given{};  // those of --var
};

// No EAL is started: options may stand before "--" or after it. Throws usage_error.
[[nodiscard]] inspect_options parse_inspect_options(invocation const& call);

}  // namespace packetwarp
