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

// The prefix itself, of an address in it.
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

// The routes of a network: its interfaces' own prefixes, and what its file has, of which a later one of the same prefix
// holds. A neighbour is on the wire of the interface whose own prefix, or whose route without a neighbour, is the
// longest around it. Throws usage_error with FILE:LINE for one that is on none. Pure.
[[nodiscard]] route_map routes_of(network_config const& config);

// What makes one map of another. before, after: nothing where there is no such route.
struct route_edit {
  ip_prefix to;
  std::optional<route_target> before;
  std::optional<wanted_route> after;
};
// Those that need room come first.
[[nodiscard]] std::vector<route_edit> edits_between(route_map const& before, route_map const& after);

}  // namespace packetwarp
