// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/process/privileges.h"
#include "plan/plan.h"

namespace packetwarp {

// The rights that a port of this driver needs once it is open: links that go down and come back, its end. docs/run.md
// has the table.
[[nodiscard]] capability_set rights_of_driver(std::string_view driver);

// The same of a data plane that has been made. After the EAL's start: it depends on how that addresses memory.
[[nodiscard]] capability_set rights_of(plan const& made);

}  // namespace packetwarp
