// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace packetwarp {

// --keep-privileges chooses `kept`.
enum class privileges : std::uint8_t { dropped, kept };

// Files that a run opens again later: files that it reads, and files that it writes, moves or removes. Empty names
// count as no file.
struct files_used_later {
  std::vector<std::string> read;
  std::vector<std::string> written;
};

// Called when all files and devices of a run are open: drops the privileges that it does not need any more
// (docs/run.md). Throws failure.
void settle_privileges(privileges how, plan const& made, files_used_later const& files);

}  // namespace packetwarp
