// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "function/router/router_table.h"
#include "module/config.h"

namespace packetwarp {

// The prefix itself, from an address in it.
[[nodiscard]] ip_prefix without_host_bits(ip_prefix const& prefix);
[[nodiscard]] std::string to_text(ip_prefix const& prefix);

// For ordered containers of prefixes: host bits do not count.
struct prefix_less {
  [[nodiscard]] bool operator()(ip_prefix const& a, ip_prefix const& b) const { return order(a) < order(b); }

 private:
  [[nodiscard]] static std::tuple<std::size_t, std::uint64_t, std::uint64_t, unsigned> order(ip_prefix const& prefix);
};

struct wanted_route {
  route_target target;
  int line{};  // of the file; 0: an interface's own prefix
};
using route_map = std::map<ip_prefix, wanted_route, prefix_less>;

// The routes of a network: its interfaces' own prefixes, and the file's routes, of which the last one of a prefix
// counts. A neighbour is on the wire of the interface that has the longest own prefix, or route without a neighbour,
// around it. Throws usage_error with FILE:LINE for a neighbour that is on no wire. Pure.
[[nodiscard]] route_map routes_of(network_config const& config);

// An edit from one map to another. before, after: nothing if the map has no such route.
struct route_edit {
  ip_prefix to;
  std::optional<route_target> before;
  std::optional<wanted_route> after;
};
// Edits that need room come first.
[[nodiscard]] std::vector<route_edit> edits_between(route_map const& before, route_map const& after);

}  // namespace packetwarp
