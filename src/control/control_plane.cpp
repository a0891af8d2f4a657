// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/control_plane.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "address/address_kind.h"
#include "control/announcement.h"
#include "control/arp.h"
#include "control/fragmenter.h"
#include "control/new_packet.h"
#include "control/source_address.h"
#include "routing/ip_packet.h"
#include "routing/routing.h"
#include "wire/ethernet.h"

namespace packetwarp {
namespace {

using routing::ip_at;

void put_back(control_actions& actions, rte_mbuf* packet, interface_index ingress) {
  actions.push_back({control_action::kind::put_back, {}, ingress, packet});
}

[[nodiscard]] packet_view view_of_packet(rte_mbuf& packet) {
  return {bytes_at(packet), packet.data_len, packet.pkt_len};
}

// The IP version of a packet whose headers can be read, in any pieces; none if they cannot.
[[nodiscard]] routing::ip_version version_of(rte_mbuf& packet) {
  constexpr std::size_t headers = 128;
  if (!pull_up(packet, std::min<std::size_t>(packet.pkt_len, headers)) || packet.data_len < ip_at) {
    return routing::ip_version::none;
  }
  auto const view = view_of_packet(packet);
  auto const type = wire::ethernet_view{view.data}.type();
  bool const is_ipv4 = type == wire::ether_type::ipv4 && routing::check_ipv4(view) == routing::fault::none;
  bool const is_ipv6 = type == wire::ether_type::ipv6 && routing::check_ipv6(view) == routing::fault::none;
  return is_ipv4 ? routing::ip_version::ipv4 : is_ipv6 ? routing::ip_version::ipv6 : routing::ip_version::none;
}

[[nodiscard]] bool is_ipv6(packet_view const& packet) {
  return wire::ethernet_view{packet.data}.type() == wire::ether_type::ipv6;
}

[[nodiscard]] routing::passage passage_of_packet(rte_mbuf& packet) {
  auto const view = view_of_packet(packet);
  return is_ipv6(view) ? routing::passage_of(view, routing::ipv6_of(view))
                       : routing::passage_of(view, routing::ipv4_of(view));
}

// For an IP packet whose headers can be read: distinguishes sources, as far as 32 bits can.
[[nodiscard]] std::uint32_t source_hash(rte_mbuf& packet) {
  auto const view = view_of_packet(packet);
  std::uint64_t bits = routing::ipv4_of(view).source().number;
  if (is_ipv6(view)) {
    auto const source = routing::ipv6_of(view).source();
    bits = source.high ^ source.low;
  }
  return static_cast<std::uint32_t>(bits * 0x9e37'79b9'7f4a'7c15ULL >> 32);  // Knuth 6.4
}

}  // namespace

control_plane::control_plane(router_table& tables, rte_mempool& pool, control_settings const& settings,
                             control_hooks hooks)
    : tables_{tables},
      pool_{pool},
      settings_{settings},
      hooks_{std::move(hooks)},
      neighbours_{tables, settings.neighbours},
      claimed_{settings.announcements},
      reassembler_{settings.fragments, pool} {}

void control_plane::handle(rte_mbuf* packet, punt_reason why, interface_index ingress, control_time now,
                           control_actions& actions) {
  call const given{packet, ingress, now, actions};
  bool const may_be_query = why == punt_reason::to_kernel || why == punt_reason::neighbour_discovery;
  if (may_be_query && answer_listener_query(given)) return;
  switch (why) {
    case punt_reason::arp:
      return handle_arp(given);
    case punt_reason::neighbour_discovery:
      return handle_discovery(given);
    case punt_reason::neighbour_unknown:
      return handle_unknown_neighbour(given);
    case punt_reason::ttl_exceeded:
      return answer_by_icmp(given, icmp_error::time_exceeded, control_drop::time_exceeded);
    case punt_reason::unreachable:
      return answer_by_icmp(given, icmp_error::no_route, control_drop::no_route);
    case punt_reason::too_big:
      return handle_too_big(given);
    case punt_reason::fragment:
      return reassembler_.add(packet, ingress, now, actions);
    case punt_reason::needs_fragmentation:
      return send_in_fragments(given);
    default:
      actions.push_back({control_action::kind::to_kernel, {}, ingress, packet});
  }
}

void control_plane::drop(control_actions& actions, rte_mbuf* packet, interface_index by, control_drop why) {
  actions.push_back({control_action::kind::drop, why, by, packet});
}

void control_plane::tick(control_time now, control_actions& actions) {
  reassembler_.tick(now, actions);
  neighbour_events events;
  neighbours_.tick(now, events);
  settle(events, now, actions);
  send_announcements(now, actions);
  send_listener_reports(now, actions);
}

void control_plane::give_up(control_actions& actions) {
  reassembler_.give_up(actions);
  neighbour_events events;
  neighbours_.give_up(events);
  for (auto const& held : events.silent) drop(actions, held.packet, held.interface, control_drop::neighbour_silent);
}

void control_plane::add_neighbour(neighbour_key const& neighbour, wire::mac_address const& mac,
                                  control_actions& actions) {
  neighbour_events events;
  neighbours_.add_permanent(neighbour, mac, events);
  settle(events, {}, actions);
}

void control_plane::remove_neighbour(neighbour_key const& neighbour, control_actions& actions) {
  neighbour_events events;
  neighbours_.forget(neighbour, events);
  settle(events, {}, actions);
}

// An announcement for which the pool has no memory is left to its repetition.
void control_plane::send_announcements(control_time now, control_actions& actions) {
  while (auto const said = claimed_.next(now)) {
    auto* const made = make_announcement(pool_, tables_.facts(said->interface).mac, said->address);
    if (made != nullptr) actions.push_back({control_action::kind::send, {}, said->interface, made});
  }
}

void control_plane::handle_unknown_neighbour(call const& given) {
  auto const to = destination_of(*given.packet, given.ingress);
  if (!to) return drop(given.actions, given.packet, given.ingress, control_drop::malformed);
  auto const next = tables_.resolve(*to);
  // Since the punt, the packet's neighbour has become known or its route has changed. A packet that would not find the
  // neighbour would come back for ever.
  if (!next || tables_.has_mac(*next)) {
    if (next && !tables_.renew_neighbour(*next)) {
      return drop(given.actions, given.packet, given.ingress, control_drop::neighbours_full);
    }
    tables_.commit();
    return put_back(given.actions, given.packet, given.ingress);
  }
  // A claimed address belongs to no other host: no interface needs to ask for it.
  auto const* const ipv4 = std::get_if<wire::ipv4_address>(&next->address);
  if (ipv4 != nullptr && claimed_.contains(next->interface, *ipv4)) {
    return answer_by_icmp(given, icmp_error::host_unreachable, control_drop::host_unreachable);
  }
  auto const source = source_hash(*given.packet);
  hold(*next, {given.packet, given.ingress, held_packet::origin::punted, source}, given.now, given.actions);
}

void control_plane::handle_too_big(call const& given) {
  auto const to = destination_of(*given.packet, given.ingress);
  if (!to) return drop(given.actions, given.packet, given.ingress, control_drop::malformed);
  auto const hop = std::visit([&](auto a) { return routing::find_next_hop(tables_.cpu(given.ingress), a); }, *to);
  answer_by_icmp(given, icmp_error::too_big, control_drop::too_big, static_cast<std::uint16_t>(hop.mtu()));
}

// The router has let the packet go, or answers an echo request by it. By now the route may have changed. The padding
// after a packet is not sent.
void control_plane::send_in_fragments(call const& given) {
  auto const drop_for = [&](control_drop reason) { drop(given.actions, given.packet, given.ingress, reason); };
  if (version_of(*given.packet) == routing::ip_version::none) return drop_for(control_drop::malformed);
  auto const to = read_destination(*given.packet);
  auto const next = way_to(to, given.ingress);
  if (!next) return drop_for(control_drop::no_way_back);
  auto const mtu = tables_.facts(next->interface).mtu;
  auto const passage = passage_of_packet(*given.packet);
  if (passage.length <= mtu) {
    shorten(*given.packet, ip_at + passage.length);
    return send_own(given.packet, to, given.ingress, given.now, given.actions);
  }
  if (!passage.may_be_fragmented && !is_from_here(given)) return drop_for(control_drop::no_way_back);
  std::vector<rte_mbuf*> fragments;
  bool const has_split = fragment(pool_, *given.packet, mtu, fragments);
  for (auto* one : fragments) send_own(one, to, given.ingress, given.now, given.actions);
  drop_for(has_split ? control_drop::fragmented : control_drop::no_memory);
}

void control_plane::answer_by_icmp(call const& given, icmp_error what, control_drop why, std::uint16_t mtu) {
  auto const drop_for = [&](control_drop reason) { drop(given.actions, given.packet, given.ingress, reason); };
  auto const version = version_of(*given.packet);
  if (version == routing::ip_version::none) return drop_for(control_drop::malformed);
  auto const view = view_of_packet(*given.packet);
  auto const to = version == routing::ip_version::ipv4 ? ip_address{routing::ipv4_of(view).source()}
                                                       : ip_address{routing::ipv6_of(view).source()};
  auto const from = source_for(tables_, given.ingress, to);
  if (!from || !may_answer_by_icmp(*given.packet, what)) return drop_for(control_drop::icmp_not_allowed);
  if (!may_send_icmp(what, given.ingress, given.now)) return drop_for(control_drop::icmp_limited);
  auto* const error = make_icmp_error(pool_, *given.packet, what, *from, mtu, identification_);
  if (error == nullptr) return drop_for(control_drop::no_memory);
  ++identification_;
  drop_for(why);
  send_own(error, to, given.ingress, given.now, given.actions);
}

bool control_plane::may_send_icmp(icmp_error what, interface_index ingress, control_time now) {
  auto const n = static_cast<std::size_t>(ingress);
  if (n >= icmp_errors_.size()) {
    token_bucket const full{settings_.icmp_errors_per_second, settings_.icmp_errors_at_once};
    icmp_errors_.resize(n + 1, {full, full, full, full});
  }
  return icmp_errors_[n][static_cast<std::size_t>(what)].take(now);
}

// Sends a packet of the router's own, whose Ethernet addresses are not yet written.
void control_plane::send_own(rte_mbuf* packet, ip_address const& to, interface_index ingress, control_time now,
                             control_actions& actions) {
  auto const next = way_to(to, ingress);
  if (!next) return drop(actions, packet, ingress, control_drop::no_way_back);
  auto const hop = tables_.next_hop_of(*next);
  if (!hop || !hop->has_mac())
    return hold(*next, {packet, next->interface, held_packet::origin::own, {}}, now, actions);
  routing::rewrite_link(view_of_packet(*packet).data, *hop);
  actions.push_back({control_action::kind::send, {}, next->interface, packet});
}

std::optional<neighbour_key> control_plane::way_to(ip_address const& to, interface_index ingress) const {
  return is_link_local(to) ? std::optional{neighbour_key{ingress, to}} : tables_.resolve(to);
}

void control_plane::hold(neighbour_key const& neighbour, held_packet const& packet, control_time now,
                         control_actions& actions) {
  neighbour_events events;
  neighbours_.hold(neighbour, packet, now, events);
  settle(events, now, actions);
}

// Carries out the results of a call to the neighbours. The tables come first: returned packets should find the new
// entries.
void control_plane::settle(neighbour_events& events, control_time now, control_actions& actions) {
  tables_.commit();
  for (auto const& question : events.questions) ask(question, actions);
  for (auto const& [held, why] : events.refused) drop(actions, held.packet, held.interface, why);
  for (auto const& held : events.ready) {
    if (held.from == held_packet::origin::punted) {
      put_back(actions, held.packet, held.interface);
    } else {
      send_own(held.packet, read_destination(*held.packet), held.interface, now, actions);
    }
  }
  for (auto const& held : events.silent) {
    if (held.from == held_packet::origin::punted) {
      answer_by_icmp({held.packet, held.interface, now, actions}, icmp_error::host_unreachable,
                     control_drop::host_unreachable);
    } else {
      drop(actions, held.packet, held.interface, control_drop::neighbour_silent);
    }
  }
}

void control_plane::ask(neighbour_question const& question, control_actions& actions) {
  auto const interface = question.about.interface;
  auto const from = source_for(tables_, interface, question.about.address);
  if (!from) return;
  auto const& own = tables_.facts(interface).mac;
  rte_mbuf* made = nullptr;
  if (auto const* const ipv4 = std::get_if<wire::ipv4_address>(&question.about.address)) {
    made = make_arp_request(pool_, own, std::get<wire::ipv4_address>(*from), *ipv4, question.last_known);
  } else {
    made = make_solicitation(pool_, own, std::get<wire::ipv6_address>(*from),
                             std::get<wire::ipv6_address>(question.about.address), question.last_known);
  }
  if (made != nullptr) actions.push_back({control_action::kind::send, {}, interface, made});
}

ip_address control_plane::read_destination(rte_mbuf& packet) const {
  auto const view = view_of_packet(packet);
  if (is_ipv6(view)) return routing::ipv6_of(view).destination();
  return routing::ipv4_of(view).destination();
}

std::optional<ip_address> control_plane::destination_of(rte_mbuf& packet, interface_index ingress) const {
  auto const version = version_of(packet);
  if (version == routing::ip_version::none) return std::nullopt;
  if (version == routing::ip_version::ipv4 && hooks_.destination) return hooks_.destination(packet, ingress);
  return read_destination(packet);
}

bool control_plane::is_from_here(call const& given) const {
  auto const view = view_of_packet(*given.packet);
  if (is_ipv6(view)) return tables_.is_own(given.ingress, routing::ipv6_of(view).source());
  return tables_.is_own(given.ingress, routing::ipv4_of(view).source());
}

}  // namespace packetwarp
