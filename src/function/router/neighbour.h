// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>

#include "function/router/router_ref.h"
#include "wire/address.h"
#include "wire/address_text.h"

namespace packetwarp {

// For set-up and the control plane: the data path knows the IP version of what it works on.
using ip_address = std::variant<wire::ipv4_address, wire::ipv6_address>;

[[nodiscard]] inline std::string to_text(ip_address const& address) {
  return std::visit([](auto a) { return wire::to_text(a); }, address);
}

// An address and how many of its first bits are meant: a prefix (RFC 4632), or an interface's address in its prefix.
struct ip_prefix {
  ip_address address;
  unsigned length{};
  friend bool operator==(ip_prefix const&, ip_prefix const&) = default;
};

// A neighbour: a host or router on the wire behind an interface.
struct neighbour_key {
  interface_index interface {};
  ip_address address;
  friend bool operator==(neighbour_key const&, neighbour_key const&) = default;
};

}  // namespace packetwarp
