// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace packetwarp {

class nat44_table;
class router_table;
class rules_table;

// What functions look up, made and changed by whoever configures them. Those that the plan's function has no use for
// may be left out. Owns nothing.
struct function_tables {
  router_table* router{};
  nat44_table* nat44{};
  // The same rules where the CPU reaches them, and where the GPU does: the CPU's again where there is none.
  rules_table* rules{};
  rules_table* rules_of_gpu{};
};

}  // namespace packetwarp
