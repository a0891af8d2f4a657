// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/router/network_settings.h"

#include <algorithm>
#include <map>
#include <utility>

namespace packetwarp {
namespace {

using neighbour_map = std::map<neighbour_key, std::pair<wire::mac_address, int>, neighbour_less>;

[[nodiscard]] neighbour_map neighbours_of(network_config const& config) {
  neighbour_map all;
  for (auto const& one : config.neighbours) {
    all.insert_or_assign({index_of(config, one.interface), one.address}, std::pair{one.mac, one.line});
  }
  return all;
}

}  // namespace

std::size_t network_edits::routes_to_remove() const {
  auto const first = std::ranges::find_if(routes, [](route_edit const& one) { return !one.after; });
  return static_cast<std::size_t>(routes.end() - first);
}

network_edits edits_between(network_settings const& now, network_settings const& wanted) {
  network_edits made;
  auto const before = neighbours_of(*now.config);
  auto const after = neighbours_of(*wanted.config);
  for (auto const& [who, is] : after) {
    auto const was = before.find(who);
    if (was == before.end()) {
      made.neighbours.push_back({who, std::nullopt, is.first, is.second});
    } else if (!(was->second.first == is.first)) {
      made.neighbours.push_back({who, was->second.first, is.first, is.second});
    }
  }
  for (auto const& [who, was] : before) {
    if (!after.contains(who)) made.neighbours.push_back({who, was.first, std::nullopt, 0});
  }
  made.routes = edits_between(now.routes, wanted.routes);
  return made;
}

}  // namespace packetwarp
