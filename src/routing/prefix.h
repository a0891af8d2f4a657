// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <variant>

#include "address/ip_prefix.h"
#include "base/error.h"
#include "routing/lpm_table.h"

namespace packetwarp {

// The prefix in the form of routes. Throws usage_error if it is longer than its address.
[[nodiscard]] inline lpm_prefix to_lpm(ip_prefix const& prefix) {
  if (prefix.length > bits_of(prefix.address)) {
    throw usage_error(fmt::format("prefix {}: a prefix of this kind of address is 0 to {} bits long", to_text(prefix),
                                  bits_of(prefix.address)));
  }
  return std::visit([&](auto address) { return lpm_prefix::of(address, prefix.length); }, prefix.address);
}

}  // namespace packetwarp
