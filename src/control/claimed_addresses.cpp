// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/claimed_addresses.h"

#include <algorithm>
#include <variant>

namespace packetwarp {
namespace {

[[nodiscard]] bool comes_before(claim const& a, claim const& b) {
  if (a.interface != b.interface) return a.interface < b.interface;
  return a.address.number < b.address.number;
}

// Whether a host of this prefix may have the address. Only prefixes of 31 and 32 bits have no broadcast addresses
// (RFC 3021).
[[nodiscard]] bool holds(ip_prefix const& prefix, wire::ipv4_address address) {
  auto const* const own = std::get_if<wire::ipv4_address>(&prefix.address);
  if (own == nullptr || prefix.length == 0) return false;
  auto const hosts = static_cast<std::uint32_t>((std::uint64_t{1} << (32 - prefix.length)) - 1);
  if (((own->number ^ address.number) & ~hosts) != 0) return false;
  auto const host = address.number & hosts;
  return hosts <= 1 || (host != 0 && host != hosts);
}

[[nodiscard]] bool is_at(router_table::interface_facts const& facts, wire::ipv4_address address) {
  return std::ranges::any_of(facts.addresses, [&](ip_prefix const& one) { return holds(one, address); });
}

}  // namespace

void claimed_addresses::set(router_table const& tables, std::vector<wire::ipv4_address> const& addresses) {
  std::vector<claim> made;
  for (auto const address : addresses) {
    if (tables.is_own(address)) continue;
    for (std::size_t n = 0; n < tables.interfaces(); ++n) {
      auto const interface = static_cast<interface_index>(n);
      if (is_at(tables.facts(interface), address)) made.push_back({interface, address});
    }
  }
  std::sort(made.begin(), made.end(), comes_before);
  made.erase(std::unique(made.begin(), made.end()), made.end());
  auto const is_gone = [&](claim const& one) {
    return !std::binary_search(made.begin(), made.end(), one, comes_before);
  };
  std::erase_if(waiting_, is_gone);
  std::erase_if(repetitions_, [&](repetition const& one) { return is_gone(one.of); });
  std::set_difference(made.begin(), made.end(), claims_.begin(), claims_.end(), std::back_inserter(waiting_),
                      comes_before);
  claims_ = std::move(made);
}

bool claimed_addresses::contains(interface_index interface, wire::ipv4_address address) const {
  return std::binary_search(claims_.begin(), claims_.end(), claim{interface, address}, comes_before);
}

void claimed_addresses::announce(interface_index interface) {
  forget_announcements_of(interface);
  auto const is_there = [&](claim const& one) { return one.interface == interface; };
  std::copy_if(claims_.begin(), claims_.end(), std::back_inserter(waiting_), is_there);
}

void claimed_addresses::forget_announcements_of(interface_index interface) {
  std::erase_if(waiting_, [&](claim const& one) { return one.interface == interface; });
  std::erase_if(repetitions_, [&](repetition const& one) { return one.of.interface == interface; });
}

std::optional<claim> claimed_addresses::next(control_time now) {
  if (!waiting_.empty()) {
    if (!tokens_.take(now)) return std::nullopt;
    auto const said = waiting_.front();
    waiting_.pop_front();
    repetitions_.push_back({said, now + settings_.interval});
    return said;
  }
  if (repetitions_.empty() || repetitions_.front().due > now || !tokens_.take(now)) return std::nullopt;
  auto const said = repetitions_.front().of;
  repetitions_.pop_front();
  return said;
}

}  // namespace packetwarp
