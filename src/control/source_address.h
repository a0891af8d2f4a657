// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "address/interface_index.h"
#include "address/ip_address.h"
#include "routing/router_table.h"

namespace packetwarp {

// The address from which the router sends to `to` by an interface: one of the interface's whose prefix contains `to`,
// else the interface's first, else the first of the first interface that has one. A link-local address is used for
// link-local addresses only. Nothing: the router has no such address.
[[nodiscard]] std::optional<ip_address> source_for(router_table const& tables, interface_index interface,
                                                   ip_address const& to);

}  // namespace packetwarp
