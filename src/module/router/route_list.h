// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/thread/abandoned.h"
#include "module/config.h"
#include "routing/router_table.h"

namespace packetwarp {

struct wanted_route {
  route_target target;
  int line{};  // of the file; 0: an interface's own prefix, or an own address in a longer route's
};
using route_map = std::map<ip_prefix, wanted_route, prefix_less>;

// The routes of a network: its interfaces' own prefixes, and the file's routes, of which the last one of a prefix
// counts. A neighbour is on the wire of the interface that has the longest own prefix, or route without a neighbour,
// around it. An own address, or an own prefix's broadcast address, for which a route of the file would count gets a
// connected prefix of its own. Throws usage_error with FILE:LINE for a neighbour that is on no wire. Pure.
// need: called for each route.
[[nodiscard]] route_map routes_of(network_config const& config, need_check const& need = {});

// An edit from one map to another. before, after: nothing if the map has no such route.
struct route_edit {
  ip_prefix to;
  std::optional<route_target> before;
  std::optional<wanted_route> after;
};
// Edits that need room come first, and then those that remove routes.
[[nodiscard]] std::vector<route_edit> edits_between(route_map const& before, route_map const& after);

}  // namespace packetwarp
