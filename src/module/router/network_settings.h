// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "module/config.h"
#include "module/router/route_list.h"
#include "wire/address.h"

namespace packetwarp {

// The network of a file, and the router's settings that follow from it.
struct network_settings {
  std::shared_ptr<network_config const> config;
  route_map routes;
};

struct neighbour_edit {
  neighbour_key who;
  std::optional<wire::mac_address> before;
  std::optional<wire::mac_address> after;
  int line{};  // of the file; 0: the file no longer has it
};

// The edits from one network's routes and neighbours to another's, in the order in which they are made.
struct network_edits {
  std::vector<neighbour_edit> neighbours;
  std::vector<route_edit> routes;
  [[nodiscard]] std::size_t size() const { return neighbours.size() + routes.size(); }
  // The last edits remove routes.
  [[nodiscard]] std::size_t routes_to_remove() const;
};

// Both have the same interfaces. Pure.
[[nodiscard]] network_edits edits_between(network_settings const& now, network_settings const& wanted);

}  // namespace packetwarp
