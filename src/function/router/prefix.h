// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <variant>

#include "base/error.h"
#include "function/router/lpm_table.h"
#include "function/router/neighbour.h"
#include "function/router/routing.h"
#include "wire/address.h"

namespace packetwarp {

// The bits of an address: 32 or 128.
[[nodiscard]] inline unsigned bits_of(ip_address const& address) {
  return std::holds_alternative<wire::ipv4_address>(address) ? 32 : 128;
}

[[nodiscard]] inline bool is_link_local(ip_address const& address) {
  return std::visit([](auto a) { return routing::is_link_local(a); }, address);
}

// "10.0.0.0/8"
[[nodiscard]] inline std::string text_of(ip_prefix const& prefix) {
  return fmt::format("{}/{}", to_text(prefix.address), prefix.length);
}

// The prefix in the form of routes. Throws usage_error if it is longer than its address.
[[nodiscard]] inline lpm_prefix to_lpm(ip_prefix const& prefix) {
  if (prefix.length > bits_of(prefix.address)) {
    throw usage_error(fmt::format("prefix {}: a prefix of this kind of address is 0 to {} bits long", text_of(prefix),
                                  bits_of(prefix.address)));
  }
  return std::visit([&](auto address) { return lpm_prefix::of(address, prefix.length); }, prefix.address);
}

}  // namespace packetwarp
