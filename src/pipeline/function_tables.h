// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace packetwarp {

class nat44_table;
class router_table;
class rules_table;

// The tables of functions, made and changed by the code that configures them. Tables without use for the plan's
// function may be left out. Owns nothing.
struct function_tables {
  router_table* router{};
  nat44_table* nat44{};
  // The same rules where the CPU reaches them, and where the GPU does: the CPU's again where there is none.
  rules_table* rules{};
  rules_table* rules_of_gpu{};
};

}  // namespace packetwarp
