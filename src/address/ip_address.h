// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>

#include "address/address_kind.h"
#include "wire/address.h"
#include "wire/address_text.h"

namespace packetwarp {

// For set-up and the control plane: the data path knows the IP version of its packet.
using ip_address = std::variant<wire::ipv4_address, wire::ipv6_address>;

[[nodiscard]] inline std::string to_text(ip_address const& address) {
  return std::visit([](auto a) { return wire::to_text(a); }, address);
}

// The bits of an address: 32 or 128.
[[nodiscard]] inline unsigned bits_of(ip_address const& address) {
  return std::holds_alternative<wire::ipv4_address>(address) ? 32 : 128;
}

[[nodiscard]] inline bool is_link_local(ip_address const& address) {
  return std::visit([](auto a) { return routing::is_link_local(a); }, address);
}

}  // namespace packetwarp
