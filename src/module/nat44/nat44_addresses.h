// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "file/yaml_place.h"
#include "function/nat44/nat44_config.h"
#include "module/nat44/nat44_reader.h"

namespace packetwarp {

// The router's interfaces and their sides, in one order, and the neighbours that the file names.
struct nat_sides {
  std::span<named_interface const> interfaces;
  std::span<nat::side const> sides;
  std::span<named_neighbour const> neighbours;
};

// Throws usage_error with FILE:LINE, unless packets may leave with every address of the range: an address has no other
// known use, is none of the router's own on the inside, no broadcast address of an own prefix, and no neighbour's.
void require_outside(yaml_place const& place, nat44_config::address_range const& range, nat_sides const& sides);

// The same, unless a host on the inside may have the address.
void require_inside(yaml_place const& place, wire::ipv4_address address, nat_sides const& sides);

// The same, unless the address of a host on the inside is none that NAT44 itself has outside.
void require_not_outside(yaml_place const& place, wire::ipv4_address address, nat44_config const& config);

}  // namespace packetwarp
