// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "routing/router_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "address/link_local.h"
#include "base/error.h"
#include "base/overloaded.h"
#include "routing/prefix.h"
#include "routing/routing.h"
#include "wire/address_text.h"

namespace packetwarp {
namespace {

constexpr std::uint16_t shortest_mtu = 68;  // RFC 791, 3.2

[[nodiscard]] ip_address own_key(interface_index interface, ip_address const& address) {
  return std::visit([&](auto a) { return ip_address{routing::own_key(interface, a)}; }, address);
}

}  // namespace

router_table::router_table(table_places const& copies, router_limits const& limits)
    : limits_{limits},
      ipv4_routes_{copies, limits.ipv4_groups},
      ipv6_routes_{copies, limits.ipv6_groups},
      ipv4_hosts_{copies, limits.hosts},
      ipv6_hosts_{copies, limits.hosts},
      next_hops_{copies, first_connected + limits.interfaces, limits.next_hops},
      ingresses_{copies, std::size_t{limits.interfaces} * 2} {
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
  next_hops_.set_fixed(first_connected + number_of(interface), next_hop_kind::connected, link_of(interface));
  ingresses_.set(std::size_t{number_of(interface)} * 2, mac.number());
  auto const link_local = link_local_of(mac);
  interfaces_.back().addresses.push_back(link_local);
  (void)set_host(own_key(interface, link_local.address), own_address | hosts::own_bit);
  return interface;
}

void router_table::add_address(interface_index interface, ip_prefix const& address) {
  check(interface);
  (void)to_lpm(address);
  if (std::visit([](auto a) { return routing::is_martian_source(a); }, address.address)) {
    throw usage_error(fmt::format("interface {}: address {}: no host may have it; give a unicast address",
                                  number_of(interface), to_text(address)));
  }
  if (!set_host(own_key(interface, address.address), own_address | hosts::own_bit)) {
    throw failure(fmt::format("interface {}: address {}: no room among {} hosts", number_of(interface),
                              to_text(address), limits_.hosts));
  }
  if (!is_link_local(address.address)) set_prefix(address, first_connected + number_of(interface));
  if (auto const broadcast = broadcast_of(address))
    (void)set_host(*broadcast, broadcast_address | hosts::broadcast_bit);
  if (auto const anycast = anycast_of(address); anycast && !is_own(*anycast))
    (void)set_host(*anycast, own_address | hosts::own_bit);
  interfaces_[number_of(interface)].addresses.push_back(address);
}

void router_table::remove_address(interface_index interface, ip_prefix const& address) {
  check(interface);
  auto& own = interfaces_[number_of(interface)].addresses;
  auto const same = [&](ip_prefix const& a) { return a.address == address.address && a.length == address.length; };
  if (std::erase_if(own, same) == 0) return;
  remove_own(interface, address.address);
  if (auto const anycast = anycast_of(address)) remove_own(interface, *anycast);
  auto const prefix = to_lpm(address);
  bool const is_shared = std::ranges::any_of(
      own, [&](ip_prefix const& a) { return a.address.index() == address.address.index() && to_lpm(a) == prefix; });
  if (is_shared) return;
  if (auto const broadcast = broadcast_of(address)) remove_host(*broadcast);
  (void)remove_route(address);
}

// Unless an address of an interface is the same, or shares the prefix whose anycast address it is.
void router_table::remove_own(interface_index interface, ip_address const& address) {
  auto const makes_it = [&](ip_prefix const& own) { return own.address == address || anycast_of(own) == address; };
  for (std::size_t n = 0; n < interfaces_.size(); ++n) {
    bool const is_same = own_key(static_cast<interface_index>(n), address) == own_key(interface, address);
    if (is_same && std::ranges::any_of(interfaces_[n].addresses, makes_it)) return;
  }
  remove_host(own_key(interface, address));
}

void router_table::share_with_kernel(interface_index interface, wire::mac_address const& mac,
                                     std::span<ip_address const> addresses) {
  check(interface);
  for (auto const& address : addresses) {
    if (!is_own(interface, address)) {
      throw usage_error(
          fmt::format("interface {}: address {} is none of its own", number_of(interface), to_text(address)));
    }
    (void)set_host(own_key(interface, address), own_address | hosts::own_bit | hosts::kernel_bit);
  }
  ingresses_.set(std::size_t{number_of(interface)} * 2 + 1, mac.number() | router_interface::with_kernel);
}

bool router_table::is_own(interface_index interface, ip_address const& address) const {
  return (host_entry(own_key(interface, address)) & hosts::own_bit) != 0;
}

bool router_table::is_own(ip_address const& address) const {
  if (!is_link_local(address)) return is_own(interface_index{}, address);
  for (std::size_t n = 0; n < interfaces_.size(); ++n) {
    if (is_own(static_cast<interface_index>(n), address)) return true;
  }
  return false;
}

router_table::interface_facts const& router_table::facts(interface_index interface) const {
  check(interface);
  return interfaces_[number_of(interface)];
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

router_ref router_table::gpu(interface_index ingress, std::size_t n) const {
  auto there = cpu(ingress);
  there.ipv4_routes = ipv4_routes_.copy(n);
  there.ipv6_routes = ipv6_routes_.copy(n);
  there.next_hops = next_hops_.copy(n);
  there.ipv4_hosts = ipv4_hosts_.copy(n);
  there.ipv6_hosts = ipv6_hosts_.copy(n);
  there.interfaces = reinterpret_cast<router_interface const*>(ingresses_.copy(n));
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
  auto const& own = interfaces_[number_of(interface)];
  return {.interface = interface, .mac = own.mac, .mtu = own.mtu};
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

void router_table::check(interface_index interface) const {
  if (number_of(interface) < interfaces_.size()) return;
  throw usage_error(
      fmt::format("interface {}: this router has {}, counted from 0", number_of(interface), interfaces_.size()));
}

}  // namespace packetwarp
