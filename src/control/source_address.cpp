// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/source_address.h"

#include <cstddef>
#include <variant>

#include "routing/lpm_table.h"
#include "routing/prefix.h"

namespace packetwarp {
namespace {

[[nodiscard]] bool is_in(ip_address const& address, ip_prefix const& prefix) {
  auto const cut = [&](ip_address const& a) {
    return std::visit([&](auto one) { return lpm_prefix::of(one, prefix.length); }, a);
  };
  return cut(address) == cut(prefix.address);
}

// The interface's most suitable address.
[[nodiscard]] std::optional<ip_address> best_of(router_table::interface_facts const& own, ip_address const& to) {
  std::optional<ip_address> first;
  for (auto const& one : own.addresses) {
    if (one.address.index() != to.index() || is_link_local(one.address) != is_link_local(to)) continue;
    if (is_in(to, one)) return one.address;
    if (!first) first = one.address;
  }
  return first;
}

}  // namespace

std::optional<ip_address> source_for(router_table const& tables, interface_index interface, ip_address const& to) {
  if (auto const own = best_of(tables.facts(interface), to)) return own;
  if (is_link_local(to)) return std::nullopt;
  for (std::size_t n = 0; n < tables.interfaces(); ++n) {
    if (auto const other = best_of(tables.facts(static_cast<interface_index>(n)), to)) return other;
  }
  return std::nullopt;
}

}  // namespace packetwarp
