// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/function.h"
#include "function/nat44/fault.h"
#include "function/nat44/find_endpoint.h"
#include "function/nat44/find_session.h"
#include "function/nat44/flow.h"
#include "function/nat44/fragment.h"
#include "function/nat44/known_session.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/outlook.h"
#include "function/nat44/translate.h"
#include "function/nat44/untranslated.h"
#include "function/router/router.h"

namespace packetwarp {

namespace nat {

inline constexpr auto router_faults = routing::fault_names.size();

[[nodiscard]] HOST_DEVICE constexpr verdict drop(fault why) {
  return verdict::drop(function_drop(static_cast<std::uint16_t>(router_faults + static_cast<std::size_t>(why))));
}
[[nodiscard]] constexpr auto all_fault_names() {
  std::array<std::string_view, router_faults + fault_names.size()> all{};
  for (std::size_t i = 0; i < router_faults; ++i) all[i] = routing::fault_names[i];
  for (std::size_t i = 0; i < fault_names.size(); ++i) all[router_faults + i] = fault_names[i];
  return all;
}

}  // namespace nat

// Network address and port translation (RFC 3022; RFC 4787, RFC 5382, RFC 5508) of what a router forwards, in one pass:
// packets that leave by an outside interface get an outside source, those to an outside address an inside destination,
// and those from inside to an outside address both. IPv6 is routed.
struct nat44 {
  struct ref {
    router_ref routes;
    nat44_ref nat;
  };

  using ipv4 = wire::ipv4_view<std::byte>;

  static constexpr std::string_view name = "nat44";
  static constexpr auto drop_names = nat::all_fault_names();
  // It follows from the sessions too, which change with every packet.
  static constexpr bool follows_from_header = false;

  // An ICMP error holds a packet of its own.
  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view packet) {
    if (!router::stays_near(packet)) return false;
    if (packet.contiguous < routing::ip_at + ipv4::min_header_length) return true;
    return wire::ethernet_view{packet.data}.type() != wire::ether_type::ipv4 ||
           routing::ipv4_of(packet).protocol() != wire::ip_protocol::icmp;
  }

  [[nodiscard]] HOST_DEVICE static verdict process(packet_view packet, ref const& tables) {
    return process_here(packet, tables);
  }

  // The steps of a CPU that looks ahead (function.h).
  using outlook = nat::outlook;
  [[nodiscard]] static outlook look_ahead(packet_view packet, ref const& tables) {
    return nat::look_ahead(tables.nat, tables.routes, side_of(tables), packet);
  }
  static void look_further(outlook& seen, ref const& tables) {
    seen.record = nat::guess_session(tables.nat, side_of(tables), seen);
  }
  [[nodiscard]] static verdict process(packet_view packet, ref const& tables, outlook const& seen) {
    auto const said = seen.record != 0 ? process_known(packet.data, tables, seen) : nat::not_done;
    if (said != nat::not_done) return said;
    return process_other(packet.data, packet.contiguous, packet.length, tables);
  }

  // For the control plane: where an IPv4 packet that was punted will go to.
  [[nodiscard]] static wire::ipv4_address destination_of(packet_view packet, ref const& tables) {
    auto const ip = routing::ipv4_of(packet);
    auto const at = tables.nat.outside_addresses.find(ip.destination());
    if (at == 0 || ip.is_fragment()) return ip.destination();
    auto const flow = nat::read_flow(packet, ip, routing::ip_at);
    if (flow.wrong != nat::fault::none) return ip.destination();
    auto const inward = nat::find_destination(tables.nat, flow, at);
    return inward.wrong == nat::fault::none ? inward.to.address : ip.destination();
  }

 private:
  [[nodiscard]] HOST_DEVICE static nat::side side_of(ref const& tables) {
    return tables.nat.sides[static_cast<std::size_t>(tables.routes.ingress)];
  }

  [[nodiscard]] static verdict process_known(std::byte* packet, ref const& tables, outlook const& seen) {
    auto const side = side_of(tables);
    if (side == nat::side::outside) return nat::enter_known(packet, tables.nat, tables.routes, seen);
    if (!comes_from_inside(side, tables)) return nat::not_done;
    return nat::leave_known(packet, tables.nat, tables.routes, seen);
  }
  // In words, which are handed over in registers: a view would lie in memory for all packets.
  [[nodiscard, gnu::noinline]] static verdict process_other(std::byte* data, std::uint32_t contiguous,
                                                            std::uint32_t length, ref const& tables) {
    return process_here({data, contiguous, length}, tables);
  }

  // Whether what came in by an interface of this side is translated where it leaves.
  [[nodiscard]] HOST_DEVICE static bool comes_from_inside(nat::side side, ref const& tables) {
    return side == nat::side::inside || tables.nat.feature == nat::feature::output_feature;
  }

  // Called, not copied into each of a kernel's loops.
  [[nodiscard, gnu::noinline]] HOST_DEVICE static verdict process_here(packet_view packet, ref const& tables) {
    auto const admitted = routing::admit(packet, tables.routes);
    if (admitted.version == routing::ip_version::none) return admitted.otherwise;
    if (admitted.version == routing::ip_version::ipv6) return router::process(packet, tables.routes);
    auto const wrong = routing::check_ipv4(packet, tables.routes.source_routes);
    if (wrong != routing::fault::none) return routing::drop(wrong);
    auto const ip = routing::ipv4_of(packet);
    auto const to = ip.destination();
    if (!nat::is_translatable(ip.source(), to)) return routing::route(packet, ip, tables.routes);
    auto const side = side_of(tables);
    if (auto const at = tables.nat.outside_addresses.find(to); at != 0) return go_in(packet, ip, tables, side, at);
    bool const stays_out = side == nat::side::outside && tables.nat.feature != nat::feature::output_feature;
    return stays_out ? go_unmatched(packet, ip, tables) : go_out(packet, ip, tables, side);
  }

  // To one of the outside addresses.
  [[nodiscard]] HOST_DEVICE static verdict go_in(packet_view packet, ipv4 ip, ref const& tables, nat::side side,
                                                 std::uint32_t at) {
    if (routing::is_no_hosts(tables.routes, ip.source())) return routing::drop(routing::fault::martian_source);
    if (ip.is_fragment()) return go_in_pieces(packet, ip, tables, at);
    auto const flow = nat::read_flow(packet, ip, routing::ip_at);
    auto const inward = flow.wrong == nat::fault::none ? nat::translate_destination(tables.nat, flow, at)
                                                       : nat::inward{{}, flow.wrong, {}};
    if (inward.wrong != nat::fault::none) return go_nowhere(packet, ip, tables, side, inward.wrong);
    auto const hop = routing::find_next_hop(tables.routes, inward.to.address);
    auto const said = routing::decide(hop, routing::passage_of(ip));
    if (!routing::is_let_go(said)) return said;
    nat::endpoints to{flow.source, inward.to};
    // From one inside host to another's outside address: both sides see outside addresses (RFC 4787, REQ-9).
    if (turns_back(side, tables, hop)) {
      auto const outward = nat::translate_source(tables.nat, flow, nat::any_egress);
      if (outward.wrong != nat::fault::none) return nat::drop(outward.wrong);
      to.source = outward.to;
    }
    nat::track_inward(tables.nat, flow, inward.found, to.source);
    return send(packet, ip, hop, flow, to, said);
  }

  // Whether a packet to an outside address goes from one inside host to another. With output_feature hosts of any
  // interface are inside, and what comes by an outside one goes on to where it came from.
  [[nodiscard]] HOST_DEVICE static bool turns_back(nat::side side, ref const& tables, next_hop const& hop) {
    if (side == nat::side::inside) return true;
    return comes_from_inside(side, tables) && (side == nat::side::none || hop.interface() == tables.routes.ingress);
  }

  // A fragment to one of the outside addresses: held for its datagram, unless nothing would let that in. What is for
  // the router itself, and what is routed as it is when nothing matches, is put together too.
  [[nodiscard, gnu::noinline, gnu::cold]] HOST_DEVICE static verdict go_in_pieces(packet_view packet, ipv4 ip,
                                                                                  ref const& tables, std::uint32_t at) {
    auto const wrong = nat::check_fragment(tables.nat, packet, ip, routing::ip_at, at);
    bool const is_unmatched = wrong == nat::fault::no_session || wrong == nat::fault::protocol;
    bool const has_another_way = is_unmatched && (routing::is_own(tables.routes, ip.destination()) ||
                                                  tables.nat.modes().unmatched == nat::unmatched::forward);
    bool const is_held = wrong == nat::fault::none || has_another_way;
    return is_held ? verdict::punt(punt_reason::fragment) : nat::drop(wrong);
  }

  // To an outside address, but not translated. The address may be the router's own, too.
  [[nodiscard]] HOST_DEVICE static verdict go_nowhere(packet_view packet, ipv4 ip, ref const& tables, nat::side side,
                                                      nat::fault why) {
    bool const is_unmatched = why == nat::fault::no_session || why == nat::fault::protocol;
    if (is_unmatched && routing::is_own(tables.routes, ip.destination())) {
      return routing::answer(packet, ip, tables.routes);
    }
    if (is_unmatched && tables.nat.modes().unmatched == nat::unmatched::forward) {
      return side == nat::side::outside ? pass_in(packet, ip, tables) : routing::route(packet, ip, tables.routes);
    }
    return nat::drop(why);
  }

  // From outside to an address that is not translated.
  [[nodiscard]] HOST_DEVICE static verdict go_unmatched(packet_view packet, ipv4 ip, ref const& tables) {
    if (routing::is_own(tables.routes, ip.destination())) return routing::route(packet, ip, tables.routes);
    bool const passes = tables.nat.modes().unmatched == nat::unmatched::forward;
    return passes ? pass_in(packet, ip, tables) : nat::drop(nat::fault::no_session);
  }

  // From outside, routed as it is. What it begins is noted, for its answers would else leave translated.
  [[nodiscard, gnu::noinline]] HOST_DEVICE static verdict pass_in(packet_view packet, ipv4 ip, ref const& tables) {
    auto const hop = routing::find_next_hop(tables.routes, ip.destination());
    bool const goes = !routing::is_no_hosts(tables.routes, ip.source()) &&
                      routing::is_let_go(routing::decide(hop, routing::passage_of(ip)));
    if (goes && tables.nat.sides[static_cast<std::size_t>(hop.interface())] != nat::side::outside) {
      auto const wrong = nat::note_untranslated(tables.nat, packet, ip, routing::ip_at);
      if (wrong != nat::fault::none) return nat::drop(wrong);
    }
    return routing::route(packet, ip, tables.routes);
  }

  // From inside, from neither side, or with output_feature from anywhere. Where it leaves decides.
  [[nodiscard]] HOST_DEVICE static verdict go_out(packet_view packet, ipv4 ip, ref const& tables, nat::side side) {
    if (routing::is_no_hosts(tables.routes, ip.source())) return routing::drop(routing::fault::martian_source);
    auto const hop = routing::find_next_hop(tables.routes, ip.destination());
    if (hop.kind() == next_hop_kind::local) return routing::answer(packet, ip, tables.routes);
    bool const leaves = tables.nat.sides[static_cast<std::size_t>(hop.interface())] == nat::side::outside;
    if (side == nat::side::outside && !leaves) return go_unmatched(packet, ip, tables);
    auto const said = routing::decide(hop, routing::passage_of(ip));
    if (!routing::is_let_go(said)) return said;
    if (!comes_from_inside(side, tables) || !leaves) {
      routing::rewrite(packet, ip, hop);
      return said;
    }
    if (ip.is_fragment()) return verdict::punt(punt_reason::fragment);
    return leave(packet, ip, tables.nat, hop, said);
  }

  // By the session that it has or gets, or as an answer to what came in as it was.
  [[nodiscard]] HOST_DEVICE static verdict leave(packet_view packet, ipv4 ip, nat44_ref const& tables, next_hop hop,
                                                 verdict said) {
    auto const flow = nat::read_flow(packet, ip, routing::ip_at);
    if (flow.wrong != nat::fault::none) return nat::drop(flow.wrong);
    if (tables.modes().unmatched == nat::unmatched::forward && nat::stays_untranslated(tables, flow)) {
      routing::rewrite(packet, ip, hop);
      return said;
    }
    auto const outward = nat::translate_source(tables, flow, static_cast<std::uint32_t>(hop.interface()));
    if (outward.wrong != nat::fault::none) return nat::drop(outward.wrong);
    return send(packet, ip, hop, flow, {outward.to, flow.destination}, said);
  }

  [[nodiscard]] HOST_DEVICE static verdict send(packet_view packet, ipv4 ip, next_hop const& hop, nat::flow const& of,
                                                nat::endpoints const& to, verdict said) {
    nat::translate(packet, ip, of, to);
    routing::rewrite(packet, ip, hop);
    return said;
  }
};
static_assert(packet_function<nat44>);

}  // namespace packetwarp
