// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/hook.h"
#include "function/nat44/fault.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/packet/find_endpoint.h"
#include "function/nat44/packet/flow.h"
#include "function/nat44/packet/fragment.h"
#include "function/nat44/packet/handover.h"
#include "function/nat44/packet/known_session.h"
#include "function/nat44/packet/outlook.h"
#include "function/nat44/packet/tell_inside.h"
#include "function/nat44/packet/translate.h"
#include "function/nat44/packet/untranslated.h"
#include "function/nat44/session/find_session.h"
#include "function/route_hooks.h"
#include "routing/ip_packet.h"
#include "routing/router_ref.h"
#include "routing/routing.h"
#include "wire/ethernet.h"

namespace packetwarp {

namespace nat {

[[nodiscard]] HOST_DEVICE constexpr verdict drop(fault why) {
  return verdict::drop(function_drop(static_cast<std::uint16_t>(why)));
}

}  // namespace nat

// Network address and port translation (RFC 3022; RFC 4787, RFC 5382, RFC 5508) of packets that a router forwards:
// packets that leave by an outside interface get an outside source, packets to an outside address get an inside
// destination, and packets from inside to an outside address get both. It is a stage beside a router: the destination
// is found before the router routes the packet; the source is found, and the packet is written, after the router knows
// the interface that it leaves by.
struct nat44 {
  using ref = nat44_ref;
  using ipv4 = wire::ipv4_view<std::byte>;

  static constexpr std::string_view name = "nat44";
  static constexpr auto drop_names = nat::fault_names;
  static constexpr table_care care = table_care::swept;       // sessions age
  static constexpr table_share share = table_share::divided;  // by ports (nat::part)

  // An ICMP error holds a packet of its own. The question is also asked for packets that the router reads no further.
  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view packet) {
    if (packet.contiguous < routing::ip_at + ipv4::min_header_length) return true;
    return wire::ethernet_view{packet.data}.type() != wire::ether_type::ipv4 ||
           routing::ipv4_of(packet).protocol() != wire::ip_protocol::icmp;
  }

  // The inside destination of a packet from outside, for joint work (function/told_facts.h).
  HOST_DEVICE static void tell_destination(packet_view headers, feature::packet_facts& facts, ref const& tables) {
    nat::tell_inside(headers, facts, tables);
  }

  // The treatment of a packet's endpoints.
  enum class treatment : std::uint8_t {
    by_egress,  // the interface that it leaves by decides
    inward,     // its destination is an inside host
    unmatched,  // it came from outside, to no session's port, and is routed as it is
    as_it_is    // it stays unchanged
  };
  struct passage {
    treatment how{treatment::by_egress};
    nat::flow flow;      // of an `inward` packet
    nat::inward inward;  // of an `inward` packet
  };

  [[nodiscard]] HOST_DEVICE_COPIED static verdict pre_route(packet_view packet, ipv4 ip, route_state& state,
                                                            passage& mine, ref const& tables,
                                                            router_ref const& routes) {
    auto const side = side_of(tables, routes);
    if (auto const at = tables.outside_addresses.find(state.to); at != 0) {
      return go_in(packet, ip, state, mine, tables, routes, side, at);
    }
    bool const stays_out = side == nat::side::outside && tables.feature != nat::feature::output_feature;
    return stays_out ? go_unmatched(ip, mine, tables, routes) : next_hook();
  }

  // A packet that came from outside, with output_feature, and does not leave by an outside interface.
  [[nodiscard]] HOST_DEVICE_COPIED static verdict routed(packet_view, ipv4 ip, route_state& state, passage& mine,
                                                         ref const& tables, router_ref const& routes) {
    bool const comes_to_stay =
        mine.how == treatment::by_egress && side_of(tables, routes) == nat::side::outside && !leaves(tables, state.hop);
    return comes_to_stay ? go_unmatched(ip, mine, tables, routes) : next_hook();
  }

  [[nodiscard]] HOST_DEVICE_COPIED static verdict post_route(packet_view packet, ipv4 ip, route_state& state,
                                                             passage& mine, ref const& tables,
                                                             router_ref const& routes) {
    switch (mine.how) {
      case treatment::inward:
        return enter(packet, ip, state, mine, tables, routes);
      case treatment::unmatched:
        return leaves(tables, state.hop) ? next_hook() : note(packet, ip, tables);
      case treatment::as_it_is:
        return next_hook();
      case treatment::by_egress:
        break;
    }
    if (!comes_from_inside(side_of(tables, routes), tables) || !leaves(tables, state.hop)) return next_hook();
    if (ip.is_fragment()) return verdict::punt(punt_reason::fragment);
    return leave(packet, ip, tables, state.hop);
  }

  // The short way of a CPU that looks ahead (function/route_hooks.h).
  using outlook = nat::outlook;
  [[nodiscard]] static outlook look_ahead(packet_view packet, ref const& tables, router_ref const& routes) {
    return nat::look_ahead(tables, routes, side_of(tables, routes), packet);
  }
  static void look_further(ref const& tables, router_ref const& routes, outlook& seen) {
    seen.record = nat::guess_session(tables, side_of(tables, routes), seen);
  }
  [[nodiscard]] static verdict go_short_way(packet_view packet, ref const& tables, router_ref const& routes,
                                            outlook const& seen) {
    if (seen.record == 0) return next_hook();
    auto const side = side_of(tables, routes);
    if (side == nat::side::outside) return nat::enter_known(packet, tables, routes, seen);
    if (!comes_from_inside(side, tables)) return next_hook();
    return nat::leave_known(packet, tables, routes, seen);
  }

 private:
  [[nodiscard]] HOST_DEVICE static nat::side side_of(ref const& tables, router_ref const& routes) {
    return tables.sides[static_cast<std::size_t>(routes.ingress)];
  }
  [[nodiscard]] HOST_DEVICE static bool leaves(ref const& tables, next_hop const& hop) {
    return tables.sides[static_cast<std::size_t>(hop.interface())] == nat::side::outside;
  }
  // Whether a packet that came in by an interface of this side is translated where it leaves.
  [[nodiscard]] HOST_DEVICE static bool comes_from_inside(nat::side side, ref const& tables) {
    return side == nat::side::inside || tables.feature == nat::feature::output_feature;
  }

  // A packet to one of the outside addresses.
  [[nodiscard]] HOST_DEVICE_COPIED static verdict go_in(packet_view packet, ipv4 ip, route_state& state, passage& mine,
                                                        ref const& tables, router_ref const& routes, nat::side side,
                                                        std::uint32_t at) {
    if (ip.is_fragment()) return go_in_pieces(packet, ip, tables, routes, at);
    mine.flow = nat::read_flow(packet, ip, routing::ip_at);
    if (!tables.part.is_all() && mine.flow.wrong == nat::fault::none) {
      auto const said = side == nat::side::inside ? nat::hand_over_hairpin(tables, packet, mine.flow, at)
                                                  : nat::hand_over_inward(tables, mine.flow, at);
      if (said != next_hook()) return said;
    }
    mine.inward = mine.flow.wrong == nat::fault::none
                      ? nat::translate_destination(tables, mine.flow, at, filter_turn_of(side, tables))
                      : nat::inward{{}, mine.flow.wrong, {}};
    if (mine.inward.wrong != nat::fault::none) return go_nowhere(ip, mine, routes, mine.inward.wrong);
    mine.how = treatment::inward;
    state.to = mine.inward.to.address;
    state.is_redirected = true;
    return next_hook();
  }

  // A fragment to one of the outside addresses: it is held for its datagram, unless no fragment of the datagram could
  // be let in. A datagram for the router itself, or one that is routed unchanged when nothing matches, is reassembled
  // too.
  [[nodiscard, gnu::noinline, gnu::cold]] HOST_DEVICE static verdict go_in_pieces(packet_view packet, ipv4 ip,
                                                                                  ref const& tables,
                                                                                  router_ref const& routes,
                                                                                  std::uint32_t at) {
    if (!tables.part.is_all() && (at & nat::address_map::is_static) == 0) {
      if (auto const said = nat::hand_over_piece(tables, packet, ip); said != next_hook()) return said;
    }
    auto const wrong =
        nat::check_fragment(tables, packet, ip, routing::ip_at, at, filter_turn_of(side_of(tables, routes), tables));
    bool const has_another_way = is_unmatched(wrong) && routing::is_own(routes, ip.destination());
    bool const is_held = wrong == nat::fault::none || has_another_way;
    return is_held ? verdict::punt(punt_reason::fragment) : nat::drop(wrong);
  }

  // A packet to an outside address that is not translated. The address may be the router's own, too. No host has it
  // otherwise, so a route for it leads back to the one who sent the packet.
  [[nodiscard]] HOST_DEVICE_COPIED static verdict go_nowhere(ipv4 ip, passage& mine, router_ref const& routes,
                                                             nat::fault why) {
    if (!is_unmatched(why) || !routing::is_own(routes, ip.destination())) return nat::drop(why);
    mine.how = treatment::as_it_is;
    return next_hook();
  }

  // A packet from outside to an address that is not translated.
  [[nodiscard]] HOST_DEVICE_COPIED static verdict go_unmatched(ipv4 ip, passage& mine, ref const& tables,
                                                               router_ref const& routes) {
    bool const is_own = routing::is_own(routes, ip.destination());
    if (!is_own && !forwards_unmatched(tables)) return nat::drop(nat::fault::no_session);
    mine.how = is_own ? treatment::as_it_is : treatment::unmatched;
    return next_hook();
  }
  [[nodiscard]] HOST_DEVICE static bool is_unmatched(nat::fault why) {
    return why == nat::fault::no_session || why == nat::fault::protocol;
  }
  [[nodiscard]] HOST_DEVICE static bool forwards_unmatched(ref const& tables) {
    return tables.modes().unmatched == nat::unmatched::forward;
  }

  // Notes the flow of a packet that is routed in unchanged; its answers would leave translated otherwise.
  [[nodiscard, gnu::noinline]] HOST_DEVICE static verdict note(packet_view packet, ipv4 ip, ref const& tables) {
    if (!tables.part.is_all()) {
      if (auto const said = nat::hand_over_untranslated(tables, packet, ip); said != next_hook()) return said;
    }
    auto const wrong = nat::note_untranslated(tables, packet, ip, routing::ip_at);
    return wrong == nat::fault::none ? next_hook() : nat::drop(wrong);
  }

  [[nodiscard]] HOST_DEVICE_COPIED static verdict enter(packet_view packet, ipv4 ip, route_state const& state,
                                                        passage const& mine, ref const& tables,
                                                        router_ref const& routes) {
    nat::endpoints to{mine.flow.source, mine.inward.to};
    // From one inside host to another's outside address: both sides see outside addresses (RFC 4787, REQ-9).
    if (turns_back(side_of(tables, routes), tables, routes, state.hop)) {
      auto const outward = source_of_hairpin(packet, mine.flow, tables);
      if (outward.wrong != nat::fault::none) return nat::drop(outward.wrong);
      to.source = outward.to;
    }
    if (filter_turn_of(side_of(tables, routes), tables) == nat::filter_turn::after_route) {
      auto const wrong = nat::let_in_after_route(tables, mine.flow, mine.inward.found, to.source);
      if (wrong != nat::fault::none) return nat::drop(wrong);
    }
    nat::track_inward(tables, mine.flow, mine.inward.found, to.source);
    nat::translate(packet, ip, mine.flow, to);
    return next_hook();
  }
  [[nodiscard]] HOST_DEVICE_COPIED static nat::translated source_of_hairpin(packet_view packet, nat::flow const& flow,
                                                                            ref const& tables) {
    if (!nat::translates_source(tables, flow)) {
      // The GPU that has the source's session has translated it.
      if (auto const noted = nat::source_noted(tables, packet, flow.source)) return {*noted};
    }
    return nat::translate_hairpin_source(tables, flow);
  }
  // Whether a packet to an outside address goes from one inside host to another. With output_feature hosts of any
  // interface are inside, and a packet that came by an outside interface turns back if it leaves by the same interface.
  [[nodiscard]] HOST_DEVICE static bool turns_back(nat::side side, ref const& tables, router_ref const& routes,
                                                   next_hop const& hop) {
    if (side == nat::side::inside) return true;
    return comes_from_inside(side, tables) && (side == nat::side::none || hop.interface() == routes.ingress);
  }

  // A packet that may turn back is known to a filter by the outside endpoint that its source gets then.
  [[nodiscard]] HOST_DEVICE static nat::filter_turn filter_turn_of(nat::side side, ref const& tables) {
    bool const is_late =
        comes_from_inside(side, tables) && tables.modes().filtering != nat::filtering::endpoint_independent;
    return is_late ? nat::filter_turn::after_route : nat::filter_turn::at_once;
  }

  // Translates the source by the session that it has or gets; leaves an answer to an untranslated flow as it is.
  [[nodiscard]] HOST_DEVICE_COPIED static verdict leave(packet_view packet, ipv4 ip, ref const& tables,
                                                        next_hop const& hop) {
    auto const flow = nat::read_flow(packet, ip, routing::ip_at);
    if (flow.wrong != nat::fault::none) return nat::drop(flow.wrong);
    if (!tables.part.is_all() && !nat::translates_source(tables, flow)) return nat::hand_over(tables, flow.source.port);
    if (forwards_unmatched(tables) && nat::stays_untranslated(tables, flow)) return next_hook();
    auto const outward = nat::translate_source(tables, flow, static_cast<std::uint32_t>(hop.interface()));
    if (outward.wrong != nat::fault::none) return nat::drop(outward.wrong);
    nat::translate(packet, ip, flow, {outward.to, flow.destination});
    return next_hook();
  }
};
static_assert(has_short_way<nat44>);

namespace nat {

// For the control plane: the address that a punted IPv4 packet will go to.
[[nodiscard]] inline wire::ipv4_address destination_of(packet_view packet, nat44_ref const& tables) {
  auto const ip = routing::ipv4_of(packet);
  auto const at = tables.outside_addresses.find(ip.destination());
  if (at == 0 || ip.is_fragment()) return ip.destination();
  auto const flow = read_flow(packet, ip, routing::ip_at);
  return flow.wrong == fault::none ? inside_of(flow, tables, at).address : ip.destination();
}

}  // namespace nat

}  // namespace packetwarp
