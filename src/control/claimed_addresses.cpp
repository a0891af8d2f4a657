// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/claimed_addresses.h"

#include <algorithm>
#include <utility>
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

[[nodiscard]] bool is_among(std::vector<claim> const& sorted, announcement const& said) {
  auto const* const ipv4 = std::get_if<wire::ipv4_address>(&said.address);
  return ipv4 != nullptr &&
         std::binary_search(sorted.begin(), sorted.end(), claim{said.interface, *ipv4}, comes_before);
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
  std::vector<claim> added;
  std::set_difference(made.begin(), made.end(), claims_.begin(), claims_.end(), std::back_inserter(added),
                      comes_before);
  auto const before = std::exchange(claims_, std::move(made));
  auto const is_gone = [&](announcement const& one) { return is_among(before, one) && !is_among(claims_, one); };
  std::erase_if(waiting_, is_gone);
  std::erase_if(repetitions_, [&](repetition const& one) { return is_gone(one.of); });
  for (auto const& one : added) waiting_.push_back({one.interface, one.address});
}

bool claimed_addresses::contains(interface_index interface, wire::ipv4_address address) const {
  return std::binary_search(claims_.begin(), claims_.end(), claim{interface, address}, comes_before);
}

void claimed_addresses::announce(interface_index interface, std::vector<ip_address> const& own) {
  forget_announcements_of(interface);
  for (auto const& address : own) waiting_.push_back({interface, address});
  for (auto const& one : claims_) {
    if (one.interface == interface) waiting_.push_back({interface, one.address});
  }
}

void claimed_addresses::forget_announcements_of(interface_index interface) {
  std::erase_if(waiting_, [&](announcement const& one) { return one.interface == interface; });
  std::erase_if(repetitions_, [&](repetition const& one) { return one.of.interface == interface; });
}

std::optional<announcement> claimed_addresses::next(control_time now) {
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
