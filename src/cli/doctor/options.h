// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.h"
#include "doctor/finding.h"

namespace packetwarp {

struct doctor_options {
  enum class repair : std::uint8_t { none, hugepages };
  std::vector<doctor::check const*> chosen{};
  std::uint64_t hugepage_bytes{std::uint64_t{1} << 30};
  repair fix{repair::none};
  std::string json{};  // a path, "-" for standard output, empty for none
};

// doctor starts no EAL: options may stand before "--" or after it. Throws usage_error.
[[nodiscard]] doctor_options parse_doctor_options(invocation const& call);

}  // namespace packetwarp
