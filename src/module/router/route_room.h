// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/router/network_settings.h"
#include "routing/router_limits.h"

// The room that routes, neighbours and own addresses of a network take in a router_table. All functions are pure.
namespace packetwarp {

// The largest tables of a network: groups of each IP version, next hops and hosts beside those of learnt neighbours.
inline constexpr std::uint32_t largest_table = 1U << 20;

// The limits of tables with room for the network, and for twice as much after a reload, as far as largest_table allows.
// They are no smaller than the default.
[[nodiscard]] router_limits limits_for(network_config const& config);

// Throws usage_error with FILE:LINE if tables with these limits, made for this network, have no room for it.
void require_room(network_settings const& wanted, router_limits const& limits);
// The same for a change of a running network. While it is made, the tables have the routes and neighbours of both.
void require_room(network_settings const& now, network_settings const& wanted, router_limits const& limits);

}  // namespace packetwarp
