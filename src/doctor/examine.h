// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/finding.h"
#include "doctor/machine/machine.h"

namespace packetwarp::doctor {

// Every check, in the order of the report.
[[nodiscard]] std::span<check const> all_checks();

// Parses "memory,cqe-compression": checks and subjects; an empty text selects all. Throws usage_error that lists both.
[[nodiscard]] std::vector<check const*> choose_checks(std::string_view only);

// Runs the checks. A check that can read nothing gives one finding, unknown. Does not throw.
[[nodiscard]] std::vector<finding> examine(machine const& m, std::vector<check const*> const& chosen);

[[nodiscard]] bool any_fails(std::vector<finding> const& findings);

}  // namespace packetwarp::doctor
