// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
//
// The control plane's work as a listener of IPv6 groups: it tells which groups it has, and answers who asks.
#include <algorithm>
#include <variant>

#include "control/announcement.h"
#include "control/control_plane.h"
#include "control/multicast/listener_message.h"
#include "control/multicast/listener_reports.h"

namespace packetwarp {
namespace {

// A network of IPv4 alone needs no reports; its interfaces have link-local addresses all the same, the first of their
// addresses.
[[nodiscard]] bool uses_ipv6(router_table const& tables, interface_index interface) {
  auto const& own = tables.facts(interface).addresses;
  auto const is_ipv6 = [](ip_prefix const& one) { return std::holds_alternative<wire::ipv6_address>(one.address); };
  return tables.occupied().ipv6_routes != 0 || std::any_of(own.begin() + 1, own.end(), is_ipv6);
}

}  // namespace

void control_plane::announce(interface_index interface) {
  claimed_.announce(interface, addresses_to_announce(tables_, interface));
  bool const routes = static_cast<std::size_t>(interface) < tables_.interfaces();
  if (!routes || !uses_ipv6(tables_, interface)) return;
  auto const kernel = kernel_of(interface);
  if (!groups_of(tables_, interface, kernel).empty()) reports_.announce(interface, kernel);
}

// False: the packet is no query, or a kernel answers it.
bool control_plane::answer_listener_query(call const& given) {
  auto const kernel = kernel_of(given.ingress);
  bool const routes = static_cast<std::size_t>(given.ingress) < tables_.interfaces();
  if (!routes || kernel == kernel_beside::present) return false;
  auto const asked = read_listener_query(*given.packet);
  if (!asked) return false;
  bool const is_about_us = reports_.is_answering(given.ingress) || listens(given.ingress, asked->group);
  if (is_about_us) {
    // Routers that start together answer at different times: by their MAC addresses.
    auto const mac = tables_.facts(given.ingress).mac.number();
    auto const part = static_cast<std::uint32_t>(mac * 0x9e37'79b9'7f4a'7c15ULL >> 32);  // Knuth 6.4
    reports_.answer(given.ingress, *asked, part, given.now);
  }
  drop(given.actions, given.packet, given.ingress,
       is_about_us ? control_drop::discovery_taken : control_drop::discovery_ignored);
  return true;
}

// Whether the router has the group, or any group if it is unspecified, by an interface without a kernel interface.
bool control_plane::listens(interface_index interface, wire::ipv6_address group) const {
  auto const own = groups_of(tables_, interface, kernel_beside::none);
  bool const is_general = group == wire::ipv6_address{};
  return is_general ? !own.empty() : std::ranges::find(own, group) != own.end();
}

// Within the limit of announcements, in which each report counts once. The first address of an interface is the
// link-local one that follows from its MAC address.
void control_plane::send_listener_reports(control_time now, control_actions& actions) {
  while (reports_.is_due(now) && claimed_.may_announce(now)) {
    auto const said = reports_.next(now);
    auto const& facts = tables_.facts(said.interface);
    listener const from{facts.mac, std::get<wire::ipv6_address>(facts.addresses.front().address)};
    auto const groups = groups_of(tables_, said.interface, kernel_of(said.interface));
    for (auto* const one : make_listener_reports(pool_, from, said.form, groups)) {
      actions.push_back({control_action::kind::send, {}, said.interface, one});
    }
  }
}

kernel_beside control_plane::kernel_of(interface_index interface) const {
  auto const& twins = settings_.with_twin;
  bool const has_one = std::find(twins.begin(), twins.end(), interface) != twins.end();
  return has_one ? kernel_beside::present : kernel_beside::none;
}

}  // namespace packetwarp
