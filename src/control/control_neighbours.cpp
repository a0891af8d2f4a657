// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
//
// The control plane's work for neighbours: ARP and IPv6 neighbour discovery.
#include <algorithm>
#include <variant>

#include "address/address_kind.h"
#include "control/arp.h"
#include "control/control_plane.h"
#include "control/new_packet.h"
#include "routing/find_host.h"
#include "wire/ethernet.h"

namespace packetwarp {
namespace {

// Whether the address is the router's own on this link, or the broadcast address of one of its prefixes.
[[nodiscard]] bool is_no_hosts(router_table const& tables, neighbour_key const& of) {
  return std::visit([&](auto a) { return routing::is_no_hosts(tables.cpu(of.interface), a); }, of.address);
}

}  // namespace

// RFC 826's receiver, except that a reply without a question makes no new entry.
void control_plane::handle_arp(call const& given) {
  auto const said = read_arp(*given.packet);
  if (!said) return drop(given.actions, given.packet, given.ingress, control_drop::malformed);
  auto const& own = tables_.facts(given.ingress);
  bool const is_ours = tables_.is_own(said->sender) || claimed_.contains(given.ingress, said->sender);
  if (!(said->sender_mac == own.mac) && is_ours) {
    return drop(given.actions, given.packet, given.ingress, control_drop::address_conflict);
  }
  if (is_no_hosts(tables_, {given.ingress, said->sender})) return leave_to_host(given, control_drop::arp_ignored);
  bool const is_for_us = is_at(given.ingress, said->target) || claimed_.contains(given.ingress, said->target);
  bool const is_asking = said->operation == wire::arp_operation::request;
  neighbour_key const sender{given.ingress, said->sender};
  bool const is_hosts = !(said->sender_mac == own.mac) && !routing::is_martian_source(said->sender);
  auto const of = is_for_us && is_asking ? neighbour_cache::learning::anyone : neighbour_cache::learning::known_only;
  neighbour_events events;
  bool const has_learnt =
      is_hosts && may_learn(sender) && neighbours_.learn(sender, said->sender_mac, of, given.now, events);
  if (is_asking && is_for_us && !(said->sender_mac == own.mac)) {
    turn_into_arp_reply(*given.packet, own.mac);
    given.actions.push_back({control_action::kind::send, {}, given.ingress, given.packet});
  } else {
    leave_to_host(given, has_learnt ? control_drop::arp_taken : control_drop::arp_ignored);
  }
  settle(events, given.now, given.actions);
}

void control_plane::handle_discovery(call const& given) {
  auto const said = read_discovery(*given.packet);
  if (!said) return drop(given.actions, given.packet, given.ingress, control_drop::malformed);
  switch (said->what) {
    case discovery_message::kind::solicitation:
      return handle_solicitation(given, *said);
    case discovery_message::kind::advertisement:
      return handle_advertisement(given, *said);
    default:
      given.actions.push_back({control_action::kind::to_kernel, {}, given.ingress, given.packet});
  }
}

// The MAC address that a message gives its sender, else the frame's.
wire::mac_address control_plane::sender_of(call const& given, discovery_message const& said) {
  return said.mac.value_or(wire::ethernet_view{bytes_at(*given.packet)}.source());
}

// Whether another host sends from an address that is the router's alone on this link.
bool control_plane::is_taken_by(call const& given, discovery_message const& said) const {
  if (sender_of(given, said) == tables_.facts(given.ingress).mac || is_anycast_at(given.ingress, said.source))
    return false;
  return tables_.is_own(given.ingress, said.source);
}

void control_plane::handle_solicitation(call const& given, discovery_message const& said) {
  if (is_taken_by(given, said)) {
    return drop(given.actions, given.packet, given.ingress, control_drop::address_conflict);
  }
  bool const is_anycast = is_anycast_at(given.ingress, said.target);
  if (!(is_at(given.ingress, said.target) || is_anycast) || tables_.is_own(given.ingress, said.source)) {
    return leave_to_host(given, control_drop::discovery_ignored);
  }
  auto const asker = sender_of(given, said);
  neighbour_key const sender{given.ingress, said.source};
  neighbour_events events;
  if (said.mac && !routing::is_martian_source(said.source) && may_learn(sender)) {
    (void)neighbours_.learn(sender, *said.mac, neighbour_cache::learning::anyone, given.now, events);
  }
  auto* const answer =
      make_advertisement(pool_, tables_.facts(given.ingress).mac, said, asker,
                         is_anycast ? discovery_message::claim::keep : discovery_message::claim::overrides);
  if (answer != nullptr) given.actions.push_back({control_action::kind::send, {}, given.ingress, answer});
  drop(given.actions, given.packet, given.ingress,
       answer != nullptr ? control_drop::discovery_taken : control_drop::no_memory);
  settle(events, given.now, given.actions);
}

// RFC 4861, 7.2.5. With the interface's own MAC address it is the router's own message that came back, and no other
// host's.
void control_plane::handle_advertisement(call const& given, discovery_message const& said) {
  if (sender_of(given, said) == tables_.facts(given.ingress).mac) {
    return drop(given.actions, given.packet, given.ingress, control_drop::discovery_ignored);
  }
  if (is_anycast_at(given.ingress, said.target)) return leave_to_host(given, control_drop::discovery_ignored);
  if (tables_.is_own(given.ingress, said.target)) {
    return drop(given.actions, given.packet, given.ingress, control_drop::address_conflict);
  }
  neighbour_key const who{given.ingress, said.target};
  neighbour_events events;
  bool const has_learnt = may_learn(who) && neighbours_.learn(who, said, given.now, events);
  leave_to_host(given, has_learnt ? control_drop::discovery_taken : control_drop::discovery_ignored);
  settle(events, given.now, given.actions);
}

// Leaves a packet that was read and is not answered here to the kernel, if any: the kernel may have asked, or may be
// asked.
void control_plane::leave_to_host(call const& given, control_drop why) {
  bool const is_hosts = kernel_of(given.ingress) == kernel_beside::present;
  auto const what = is_hosts ? control_action::kind::to_kernel : control_action::kind::drop;
  given.actions.push_back({what, why, given.ingress, given.packet});
}

// Hosts of the wire's prefixes; gateways outside them that routes lead by; and hosts that were asked for. An address
// that is no host's stays what the tables say.
bool control_plane::may_learn(neighbour_key const& neighbour) const {
  if (is_no_hosts(tables_, neighbour)) return false;
  return tables_.is_on_link(neighbour) || tables_.next_hop_of(neighbour) || neighbours_.state_of(neighbour);
}

bool control_plane::is_at(interface_index interface, ip_address const& address) const {
  auto const& own = tables_.facts(interface).addresses;
  return std::ranges::any_of(own, [&](ip_prefix const& one) { return one.address == address; });
}

// Another router of the subnet has the address, too.
bool control_plane::is_anycast_at(interface_index interface, ip_address const& address) const {
  auto const& own = tables_.facts(interface).addresses;
  return !is_at(interface, address) &&
         std::ranges::any_of(own, [&](ip_prefix const& one) { return anycast_of(one) == address; });
}

}  // namespace packetwarp
