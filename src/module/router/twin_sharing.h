// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "routing/router_table.h"
#include "twin/twin_config.h"

namespace packetwarp {

// Tells the router of an interface's kernel interface: the kernel's addresses, and its interface addresses that the
// router answers for like the interface's own. Throws like router_table.
void share_with_twin(router_table& router, interface_index interface, twin_config const& twin);

}  // namespace packetwarp
