// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "burst/verdict.h"
#include "function/hook.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/packet/outlook.h"
#include "function/nat44/packet/plain_packet.h"
#include "function/nat44/packet/untranslated.h"
#include "function/nat44/session/find_session.h"
#include "function/nat44/session/tcp_mapping.h"
#include "routing/routing.h"

// The short way of nearly all packets on a CPU: plain packets of an existing session, to a known neighbour. They need
// little work, in words that a CPU keeps in registers. Other packets take the way of all packets, unchanged.
namespace packetwarp::nat {

// The content of a record, if it is the session of a packet that goes this way from or to the endpoint; otherwise
// `other` is 0.
struct known_session {
  std::uint64_t other;  // key_of the endpoint on the other side
  life seen;
};
[[nodiscard, gnu::always_inline]] inline known_session session_at(nat44_ref const& tables, std::uint32_t record,
                                                                  std::uint64_t key, direction way) {
  auto const held = load_session(tables.sessions[record], way);
  life const seen{held.life};
  auto const own = way == direction::out ? held.inside : held.outside;
  auto const other = way == direction::out ? held.outside : held.inside;
  return {own == key && seen.is_live() ? other : 0, seen};
}

// Whether a router lets the packet go by this next hop, whole: decide() says forward.
[[nodiscard]] inline bool passes(next_hop const& hop, packet_view frame, wire::ipv4_view<std::byte> ip) {
  bool const fits = frame.length - routing::ip_at <= hop.mtu();
  return hop.kind() == next_hop_kind::adjacent && hop.has_mac() && ip.ttl() > 1 && fits;
}

// Notes that the packet has used its session. False: the session has ended, or is not the guessed one, or the packet
// may change the state of a TCP connection.
[[nodiscard, gnu::always_inline]] inline bool use_known(nat44_ref const& tables, plain_packet packet,
                                                        std::uint32_t record, known_session const& session,
                                                        direction way) {
  if (session.other == 0) return false;
  auto const now = tables.now();
  if (packet.is_udp()) return use(tables, record, session.seen, transport::udp, way, now);
  if (!is_settled(session.seen.tcp(), packet.tcp().flags(), way)) return false;
  return use(tables, record, session.seen, transport::tcp, way, now);
}

// The short way has either done all of a packet's work, or none.
inline constexpr auto not_done = next_hook();

// A packet from inside, by its session.
[[nodiscard, gnu::always_inline]] inline verdict leave_known(packet_view frame, nat44_ref const& tables,
                                                             router_ref const& routes, outlook const& seen) {
  plain_packet const packet{frame.data};
  auto const from = packet.ip().source();
  auto const to = packet.ip().destination();
  bool const is_special = tables.outside_addresses.find(to) != 0 || tables.static_addresses.find(from) != 0 ||
                          routing::is_no_hosts(routes, from);
  auto const modes = tables.modes();
  if (is_special || modes.filtering != filtering::endpoint_independent) return not_done;
  if (modes.unmatched == unmatched::forward) {
    auto const kind = packet.is_udp() ? transport::udp : transport::tcp;
    if (find_untranslated(tables, untranslated_between(kind, packet.source(), packet.destination())) != 0) {
      return not_done;
    }
  }
  auto const hop = routing::find_next_hop(routes, to);
  bool const leaves = tables.sides[static_cast<std::size_t>(hop.interface())] == side::outside;
  if (!leaves || !passes(hop, frame, packet.ip())) return not_done;
  auto const session = session_at(tables, seen.record, seen.key, direction::out);
  if (!use_known(tables, packet, seen.record, session, direction::out)) return not_done;
  packet.send_from(endpoint_of(session.other));
  routing::rewrite_link(frame.data, hop);
  return verdict::forward(hop.egress());
}

// A packet from outside, to an address of the pool, by its session.
[[nodiscard, gnu::always_inline]] inline verdict enter_known(packet_view frame, nat44_ref const& tables,
                                                             router_ref const& routes, outlook const& seen) {
  plain_packet const packet{frame.data};
  if (tables.modes().filtering != filtering::endpoint_independent) return not_done;
  if (routing::is_no_hosts(routes, packet.ip().source())) return not_done;
  auto const session = session_at(tables, seen.record, seen.key, direction::in);
  auto const hop = routing::find_next_hop(routes, endpoint_of(session.other).address);
  bool const turns_back = tables.feature == feature::output_feature && hop.interface() == routes.ingress;
  bool const goes =
      !turns_back && passes(hop, frame, packet.ip()) && use_known(tables, packet, seen.record, session, direction::in);
  if (!goes) return not_done;
  packet.send_to(endpoint_of(session.other));
  routing::rewrite_link(frame.data, hop);
  return verdict::forward(hop.egress());
}

}  // namespace packetwarp::nat
