// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "file/yaml_place.h"
#include "function/nat44/nat44_config.h"
#include "module/nat44/nat44_section.h"
#include "wire/address.h"

namespace packetwarp {

// An interface that the section may name, and its own addresses.
struct named_interface {
  struct own_address {
    wire::ipv4_address address;
    unsigned length{};  // of its prefix
  };
  std::string name;
  std::vector<own_address> addresses;
};

// Another host on a wire of the router's: NAT44 may not answer for its address.
struct named_neighbour {
  wire::ipv4_address address;
  std::string origin;  // "the route of line 12 leads by it"
};

// The room of the tables, and the limits of hosts and prefixes, in lines.
[[nodiscard]] std::string describe_shares(nat44_config const& config);

// interfaces: in their order; the result's sides, which the section gives by names, are in this order. Throws
// usage_error with FILE:LINE.
[[nodiscard]] nat44_section read_nat44_section(yaml_place const& place, std::vector<named_interface> const& interfaces,
                                               std::vector<named_neighbour> const& neighbours);

}  // namespace packetwarp
