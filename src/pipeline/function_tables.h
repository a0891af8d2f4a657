// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace packetwarp {

class departure_hooks;
class stage_tables;

// Tables of the stages of a plan's function, and the hooks that packets meet if they leave without having passed a
// pipeline. Stages without tables are left out. Owns nothing.
struct function_tables {
  std::vector<stage_tables const*> stages;
  departure_hooks const* departures{};  // nullptr: none
};

}  // namespace packetwarp
