// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace packetwarp {

class router_table;

// What functions look up, made and changed by whoever configures them. Those that the plan's function has no use for
// may be left out. Owns nothing.
struct function_tables {
  router_table* router{};
};

}  // namespace packetwarp
