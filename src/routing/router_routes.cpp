// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.h"
#include "base/overloaded.h"
#include "routing/prefix.h"
#include "routing/router_table.h"
#include "routing/routing.h"

namespace packetwarp {

void router_table::set_route(ip_prefix const& to, route_target const& target) {
  begin_set_route(to, target);
  finish_route();
}

void router_table::begin_set_route(ip_prefix const& to, route_target const& target) {
  (void)to_lpm(to);
  auto const index = index_of(target);
  try {
    begin_set_prefix(to, index);
  } catch (failure const&) {
    next_hops_.release(index);
    throw;
  }
}

bool router_table::remove_route(ip_prefix const& to) {
  bool const was_there = begin_remove_route(to);
  finish_route();
  return was_there;
}

bool router_table::begin_remove_route(ip_prefix const& to) {
  finish_route();
  auto& table = table_of(to.address);
  auto const prefix = to_lpm(to);
  auto const before = table.find(prefix);
  if (!before) return false;
  (void)table.begin_remove(prefix);
  changing_ = &table;
  replaced_ = before;
  begin_renewal(to, table.covering(prefix).index());
  return true;
}

// A next hop's record is given to another neighbour only after the last entry that led to it has been written.
bool router_table::step_route(std::size_t& entries) {
  if (changing_ != nullptr) {
    if (!changing_->step(entries)) return false;
    changing_ = nullptr;
    if (replaced_) next_hops_.release(*replaced_);
    replaced_.reset();
  }
  return renew_hosts(entries);
}

void router_table::finish_route() {
  auto all = ~std::size_t{0};
  (void)step_route(all);
}

std::optional<neighbour_key> router_table::resolve(ip_address const& to) const {
  auto const index = find_index(to);
  auto const hop = next_hops_[index];
  if (hop.kind() == next_hop_kind::adjacent) return next_hops_.neighbour(index);
  if (hop.kind() == next_hop_kind::connected) return neighbour_key{hop.interface(), to};
  return std::nullopt;
}

std::optional<router_table::route_found> router_table::route_to(ip_address const& to) const {
  auto const* const ipv4 = std::get_if<wire::ipv4_address>(&to);
  auto const bits =
      ipv4 != nullptr ? wire::ipv6_address{std::uint64_t{ipv4->number} << 32, 0} : std::get<wire::ipv6_address>(to);
  auto const found = (ipv4 != nullptr ? ipv4_routes_ : ipv6_routes_).longest(bits);
  if (found.next_hop == no_route) return std::nullopt;
  auto const masked = lpm_prefix{bits, found.length}.masked().bits;
  ip_address const start =
      ipv4 != nullptr ? ip_address{wire::ipv4_address{static_cast<std::uint32_t>(masked.high >> 32)}} : masked;
  auto const hop = next_hops_[found.next_hop];
  route_found route{.to = {start, found.length}, .kind = hop.kind(), .interface = hop.interface()};
  if (hop.kind() == next_hop_kind::adjacent) route.via = next_hops_.neighbour(found.next_hop).address;
  return route;
}

next_hop_kind router_table::kind_of(ip_address const& to) const { return next_hops_[find_index(to)].kind(); }

std::uint32_t router_table::index_of(route_target const& target) {
  return std::visit(overloaded{[&](neighbour_key const& gateway) {
                                 check(gateway.interface);
                                 if (auto const index = next_hops_.hold(gateway, link_of(gateway.interface)))
                                   return *index;
                                 throw failure(fmt::format("route by {}: no room among {} next hops",
                                                           to_text(gateway.address), limits_.next_hops));
                               },
                               [&](on_link const& link) {
                                 check(link.interface);
                                 return first_connected + number_of(link.interface);
                               },
                               [](discard) { return std::uint32_t{discard_route}; }},
                    target);
}

std::uint32_t router_table::find_index(ip_address const& to) const {
  auto const tables = cpu({});
  auto const by_prefix =
      std::visit([&](auto a) { return routing::longest_match(routing::routes_to(tables, a), a); }, to);
  auto const host = host_entry(to) & hosts::index_mask;
  if (host == 0) return by_prefix;
  auto const prefix = next_hops_[by_prefix];
  bool const is_host =
      is_link_local(to) || (prefix.kind() == next_hop_kind::connected && routing::is_on_wire(next_hops_[host], prefix));
  return is_host ? host : by_prefix;
}

lpm_table& router_table::table_of(ip_address const& address) {
  return std::holds_alternative<wire::ipv4_address>(address) ? ipv4_routes_ : ipv6_routes_;
}

void router_table::set_prefix(ip_prefix const& prefix, std::uint32_t index) {
  begin_set_prefix(prefix, index);
  finish_route();
}

void router_table::begin_set_prefix(ip_prefix const& prefix, std::uint32_t index) {
  finish_route();
  auto& table = table_of(prefix.address);
  auto const to = to_lpm(prefix);
  auto const before = table.find(to);
  if (!table.begin_set(to, index)) {
    throw failure(fmt::format("route to {}: no room among {} groups of 256 prefixes", to_text(prefix),
                              bits_of(prefix.address) == 32 ? limits_.ipv4_groups : limits_.ipv6_groups));
  }
  changing_ = &table;
  replaced_ = before;
  begin_renewal(prefix, index);
}

}  // namespace packetwarp
