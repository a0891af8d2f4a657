// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "function/router/router_table.h"
#include "twin/twin_config.h"

namespace packetwarp {

// Tells the router of an interface's kernel interface: what is the kernel's, and what of its addresses is to be
// answered for like the interface's own. Throws as router_table does.
void share_with_twin(router_table& router, interface_index interface, twin_config const& twin);

}  // namespace packetwarp
