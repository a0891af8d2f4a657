// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/router/router_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "function/router/admission.h"
#include "function/router/link_local.h"
#include "function/router/routing.h"
#include "wire/address_text.h"

namespace packetwarp {
namespace {

template <class... Cases>
struct overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
overloaded(Cases...) -> overloaded<Cases...>;

constexpr std::uint16_t shortest_mtu = 68;  // RFC 791, 3.2

[[nodiscard]] std::uint32_t number(interface_index interface) { return static_cast<std::uint32_t>(interface); }

[[nodiscard]] unsigned bits_of(ip_address const& address) {
  return std::holds_alternative<wire::ipv4_address>(address) ? 32 : 128;
}
[[nodiscard]] std::string text_of(ip_prefix const& prefix) {
  return fmt::format("{}/{}", to_text(prefix.address), prefix.length);
}
[[nodiscard]] lpm_prefix to_lpm(ip_prefix const& prefix) {
  if (prefix.length > bits_of(prefix.address)) {
    throw usage_error(fmt::format("prefix {}: a prefix of this kind of address is 0 to {} bits long", text_of(prefix),
                                  bits_of(prefix.address)));
  }
  return std::visit([&](auto address) { return lpm_prefix::of(address, prefix.length); }, prefix.address);
}
[[nodiscard]] bool is_link_local(ip_address const& address) {
  return std::visit([](auto a) { return routing::is_link_local(a); }, address);
}
// The address with every host bit set, of prefixes that leave room for one (RFC 3021).
[[nodiscard]] std::optional<ip_address> broadcast_of(ip_prefix const& prefix) {
  auto const* const own = std::get_if<wire::ipv4_address>(&prefix.address);
  if (own == nullptr || prefix.length > 30) return std::nullopt;
  return wire::ipv4_address{own->number | 0xffff'ffffU >> prefix.length};
}

}  // namespace

router_table::router_table(table_place copy, router_limits const& limits)
    : limits_{limits},
      ipv4_routes_{copy, limits.ipv4_groups},
      ipv6_routes_{copy, limits.ipv6_groups},
      ipv4_hosts_{copy, limits.hosts},
      ipv6_hosts_{copy, limits.hosts},
      next_hops_{copy, first_connected + limits.interfaces, limits.next_hops},
      ingresses_{copy, std::size_t{limits.interfaces} * 2} {
  next_hops_.set_fixed(own_address, next_hop_kind::local, {});
  next_hops_.set_fixed(broadcast_address, next_hop_kind::broadcast, {});
  next_hops_.set_fixed(discard_route, next_hop_kind::discard, {});
}

interface_index router_table::add_interface(wire::mac_address const& mac, std::uint16_t mtu) {
  if (interfaces_.size() == limits_.interfaces || interfaces_.size() == max_egresses) {
    throw usage_error(fmt::format("interface {}: this router has room for {}; make it with more", wire::to_text(mac),
                                  interfaces_.size()));
  }
  if (mac.is_group() || mac.number() == 0) {
    throw usage_error(
        fmt::format("interface {}: that is no interface's MAC address: it is 0 or a group's", wire::to_text(mac)));
  }
  if (mtu < shortest_mtu) {
    throw usage_error(fmt::format("interface {}: an MTU of {} is too short; give {} bytes or more, 1280 for IPv6",
                                  wire::to_text(mac), mtu, shortest_mtu));
  }
  auto const interface = static_cast<interface_index>(interfaces_.size());
  interfaces_.push_back({.mac = mac, .mtu = mtu, .addresses = {}});
  next_hops_.set_fixed(first_connected + number(interface), next_hop_kind::connected, link_of(interface));
  ingresses_.set(std::size_t{number(interface)} * 2, mac.number());
  auto const link_local = link_local_of(mac);
  interfaces_.back().addresses.push_back(link_local);
  (void)set_host(link_local.address, own_address | hosts::own_bit);
  return interface;
}

void router_table::add_address(interface_index interface, ip_prefix const& address) {
  check(interface);
  (void)to_lpm(address);
  if (std::visit([](auto a) { return routing::is_martian_source(a); }, address.address)) {
    throw usage_error(fmt::format("interface {}: address {}: no host may have it; give a unicast address",
                                  number(interface), text_of(address)));
  }
  if (!set_host(address.address, own_address | hosts::own_bit)) {
    throw failure(fmt::format("interface {}: address {}: no room among {} hosts; make the router with more",
                              number(interface), text_of(address), limits_.hosts));
  }
  if (!is_link_local(address.address)) set_prefix(address, first_connected + number(interface));
  if (auto const broadcast = broadcast_of(address))
    (void)set_host(*broadcast, broadcast_address | hosts::broadcast_bit);
  interfaces_[number(interface)].addresses.push_back(address);
}

void router_table::remove_address(interface_index interface, ip_prefix const& address) {
  check(interface);
  auto& own = interfaces_[number(interface)].addresses;
  auto const same = [&](ip_prefix const& a) { return a.address == address.address && a.length == address.length; };
  if (std::erase_if(own, same) == 0) return;
  remove_host(address.address);
  auto const prefix = to_lpm(address);
  bool const is_shared = std::ranges::any_of(
      own, [&](ip_prefix const& a) { return a.address.index() == address.address.index() && to_lpm(a) == prefix; });
  if (is_shared) return;
  if (auto const broadcast = broadcast_of(address)) remove_host(*broadcast);
  (void)remove_route(address);
}

void router_table::share_with_kernel(interface_index interface, wire::mac_address const& mac,
                                     std::span<ip_address const> addresses) {
  check(interface);
  for (auto const& address : addresses) {
    if (!is_own(address)) {
      throw usage_error(
          fmt::format("interface {}: address {} is none of its own", number(interface), to_text(address)));
    }
    (void)set_host(address, own_address | hosts::own_bit | hosts::kernel_bit);
  }
  ingresses_.set(std::size_t{number(interface)} * 2 + 1, mac.number() | router_interface::with_kernel);
}

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
  return true;
}

// A next hop is not another's before the last entry that led to it has been written.
bool router_table::step_route(std::size_t& entries) {
  if (changing_ == nullptr) return true;
  if (!changing_->step(entries)) return false;
  changing_ = nullptr;
  if (replaced_) next_hops_.release(*replaced_);
  replaced_.reset();
  return true;
}

void router_table::finish_route() {
  auto all = ~std::size_t{0};
  (void)step_route(all);
}

void router_table::check_neighbour(neighbour_key const& neighbour, wire::mac_address const& mac) const {
  check(neighbour.interface);
  if (mac.is_group() || mac.number() == 0 || is_own(neighbour.address)) {
    throw usage_error(
        fmt::format("neighbour {} at {}: give another host's address, and a MAC address that is one "
                    "host's: not 0 and no group's",
                    to_text(neighbour.address), wire::to_text(mac)));
  }
}

bool router_table::set_neighbour(neighbour_key const& neighbour, wire::mac_address const& mac) {
  check_neighbour(neighbour, mac);
  bool const is_known = has_mac(neighbour);
  auto const index = is_known ? next_hops_.find(neighbour) : next_hops_.hold(neighbour, link_of(neighbour.interface));
  if (!index) return false;
  // A link-local address may be on many links; nothing is routed to it, but routes may lead by it.
  bool const is_host = !is_link_local(neighbour.address) && is_on_link(neighbour);
  if (is_host && !set_host(neighbour.address, *index)) {
    if (!is_known) next_hops_.release(*index);
    return false;
  }
  next_hops_.set_mac(*index, mac);
  return true;
}

void router_table::forget_neighbour(neighbour_key const& neighbour) {
  if (!has_mac(neighbour)) return;
  auto const index = *next_hops_.find(neighbour);
  next_hops_.set_mac(index, {});
  if (host_entry(neighbour.address) == index) remove_host(neighbour.address);
  next_hops_.release(index);
}

std::optional<next_hop> router_table::next_hop_of(neighbour_key const& neighbour) const {
  auto const index = next_hops_.find(neighbour);
  return index ? std::optional{next_hops_[*index]} : std::nullopt;
}

bool router_table::has_mac(neighbour_key const& neighbour) const {
  auto const hop = next_hop_of(neighbour);
  return hop && hop->has_mac();
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

bool router_table::is_on_link(neighbour_key const& neighbour) const {
  if (is_link_local(neighbour.address)) return true;
  auto const index =
      std::visit([&](auto a) { return routing::longest_match(routing::routes_to(cpu({}), a), a); }, neighbour.address);
  return index == first_connected + number(neighbour.interface);
}

bool router_table::is_own(ip_address const& address) const { return (host_entry(address) & hosts::own_bit) != 0; }

router_table::interface_facts const& router_table::facts(interface_index interface) const {
  check(interface);
  return interfaces_[number(interface)];
}

router_table::occupancy router_table::occupied() const {
  auto const groups = [](lpm_table const& of) { return usage{of.groups() - of.groups_free(), of.groups()}; };
  return {.ipv4_routes = ipv4_routes_.size(),
          .ipv6_routes = ipv6_routes_.size(),
          .ipv4_groups = groups(ipv4_routes_),
          .ipv6_groups = groups(ipv6_routes_),
          .next_hops = {next_hops_.in_use(), limits_.next_hops},
          .ipv4_hosts = {ipv4_hosts_.size(), limits_.hosts},
          .ipv6_hosts = {ipv6_hosts_.size(), limits_.hosts}};
}

router_ref router_table::cpu(interface_index ingress) const {
  return {.ipv4_routes = ipv4_routes_.host(),
          .ipv6_routes = ipv6_routes_.host(),
          .next_hops = next_hops_.host(),
          .ipv4_hosts = ipv4_hosts_.host(),
          .ipv6_hosts = ipv6_hosts_.host(),
          .interfaces = reinterpret_cast<router_interface const*>(ingresses_.host()),
          .ipv4_host_mask = ipv4_hosts_.mask(),
          .ipv6_host_mask = ipv6_hosts_.mask(),
          .ingress = ingress,
          .source_routes = source_routes_};
}

router_ref router_table::gpu(interface_index ingress) const {
  auto there = cpu(ingress);
  there.ipv4_routes = ipv4_routes_.copy();
  there.ipv6_routes = ipv6_routes_.copy();
  there.next_hops = next_hops_.copy();
  there.ipv4_hosts = ipv4_hosts_.copy();
  there.ipv6_hosts = ipv6_hosts_.copy();
  there.interfaces = reinterpret_cast<router_interface const*>(ingresses_.copy());
  return there;
}

void router_table::commit() {
  next_hops_.commit();
  ingresses_.commit();
  ipv4_hosts_.commit();
  ipv6_hosts_.commit();
  ipv4_routes_.commit();
  ipv6_routes_.commit();
}

void router_table::mark() {
  ipv4_routes_.mark();
  ipv6_routes_.mark();
  next_hops_.mark();
}

void router_table::reclaim() {
  ipv4_routes_.reclaim();
  ipv6_routes_.reclaim();
  next_hops_.reclaim();
}

void router_table::abandon() {
  next_hops_.abandon();
  ingresses_.abandon();
  ipv4_hosts_.abandon();
  ipv6_hosts_.abandon();
  ipv4_routes_.abandon();
  ipv6_routes_.abandon();
}

next_hop_table::link router_table::link_of(interface_index interface) const {
  auto const& own = interfaces_[number(interface)];
  return {.interface = interface, .mac = own.mac, .mtu = own.mtu};
}

std::uint32_t router_table::index_of(route_target const& target) {
  return std::visit(overloaded{[&](neighbour_key const& gateway) {
                                 check(gateway.interface);
                                 if (auto const index = next_hops_.hold(gateway, link_of(gateway.interface)))
                                   return *index;
                                 throw failure(
                                     fmt::format("route by {}: no room among {} next hops; make the router "
                                                 "with more",
                                                 to_text(gateway.address), limits_.next_hops));
                               },
                               [&](on_link const& link) {
                                 check(link.interface);
                                 return first_connected + number(link.interface);
                               },
                               [](discard) { return std::uint32_t{discard_route}; }},
                    target);
}

std::uint32_t router_table::find_index(ip_address const& to) const {
  auto const tables = cpu({});
  auto const by_prefix =
      std::visit([&](auto a) { return routing::longest_match(routing::routes_to(tables, a), a); }, to);
  auto const host = host_entry(to) & hosts::index_mask;
  bool const is_host = is_link_local(to) || next_hops_[by_prefix].kind() == next_hop_kind::connected;
  return is_host && host != 0 ? host : by_prefix;
}

lpm_table& router_table::table_of(ip_address const& address) {
  return std::holds_alternative<wire::ipv4_address>(address) ? ipv4_routes_ : ipv6_routes_;
}

bool router_table::set_host(ip_address const& host, std::uint32_t entry) {
  return std::visit(overloaded{[&](wire::ipv4_address a) { return ipv4_hosts_.set(a, entry); },
                               [&](wire::ipv6_address a) { return ipv6_hosts_.set(a, entry); }},
                    host);
}
void router_table::remove_host(ip_address const& host) {
  std::visit(overloaded{[&](wire::ipv4_address a) { (void)ipv4_hosts_.remove(a); },
                        [&](wire::ipv6_address a) { (void)ipv6_hosts_.remove(a); }},
             host);
}
std::uint32_t router_table::host_entry(ip_address const& host) const {
  return std::visit(overloaded{[&](wire::ipv4_address a) { return ipv4_hosts_.get(a); },
                               [&](wire::ipv6_address a) { return ipv6_hosts_.get(a); }},
                    host);
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
    throw failure(fmt::format("route to {}: no room among {} groups of 256 prefixes; make the router with more",
                              text_of(prefix),
                              bits_of(prefix.address) == 32 ? limits_.ipv4_groups : limits_.ipv6_groups));
  }
  changing_ = &table;
  replaced_ = before;
}

void router_table::check(interface_index interface) const {
  if (number(interface) < interfaces_.size()) return;
  throw usage_error(
      fmt::format("interface {}: this router has {}, counted from 0", number(interface), interfaces_.size()));
}

}  // namespace packetwarp
