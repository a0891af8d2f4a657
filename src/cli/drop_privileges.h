// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace packetwarp {

// --keep-privileges, or not.
enum class privileges : std::uint8_t { dropped, kept };

// Files that a run opens again later: those it reads, and those that it writes, moves or removes. Empty ones are none.
struct files_used_later {
  std::vector<std::string> read;
  std::vector<std::string> written;
};

// When all of a run is open: what it does not need any more is given up (docs/run.md). Throws failure.
void settle_privileges(privileges how, plan const& made, files_used_later const& files);

}  // namespace packetwarp
