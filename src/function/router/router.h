// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "address/address_kind.h"
#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/function.h"
#include "function/route_hooks.h"
#include "function/router/admission.h"
#include "function/router/echo.h"
#include "routing/ip_packet.h"
#include "routing/router_ref.h"
#include "routing/routing.h"
#include "wire/ethernet.h"

namespace packetwarp {

namespace routing {

// Handles a checked packet to this interface's MAC address.
template <class Ip>
[[nodiscard]] HOST_CALLED_DEVICE_COPIED verdict route(packet_view packet, Ip ip, router_ref const& tables) {
  auto const from = ip.source();
  auto const to = ip.destination();
  sender_lookup const sender{tables, from};
  destination_lookup const destination{tables, to};
  if (is_martian_source(from)) return drop(fault::martian_source);
  if (is_martian_destination(to)) return drop(fault::martian_destination);
  if (is_group(to)) return verdict_of_group(packet, ip, tables);
  if (sender.is_no_hosts()) return drop(fault::martian_source);
  bool const is_on_link = is_link_local(from) || is_link_local(to);
  if (is_on_link) return is_own(tables, to) ? answer(packet, ip, tables) : drop(fault::link_local);
  auto const hop = destination.find();
  if (hop.kind() == next_hop_kind::local) return answer(packet, ip, tables);
  return forward_by(packet, ip, hop);
}
// The same as a call, not a copy in each of a kernel's loops.
#if defined(__CUDACC__)
template <class Ip>
[[nodiscard, gnu::noinline]] HOST_DEVICE verdict call_route(packet_view packet, Ip ip, router_ref const& tables) {
  return route(packet, ip, tables);
}
#else
template <class Ip>
[[nodiscard, gnu::always_inline]] inline verdict call_route(packet_view packet, Ip ip, router_ref const& tables) {
  return route(packet, ip, tables);
}
#endif

}  // namespace routing

// Routes IPv4 (RFC 1812) and IPv6 (RFC 8200): longest prefix match, one hop less, new MAC addresses. Answers echo
// requests to its own addresses in place; punts, as they were received, packets that the control plane has to answer or
// to hold.
struct router {
  using ref = router_ref;

  static constexpr std::string_view name = "router";
  static constexpr auto drop_names = routing::fault_names;
  static constexpr departure leaves = departure::by_any_port;
  // The verdict follows from the header and the tables; but these change while a packet is in flight, so a repetition
  // proves nothing.
  static constexpr bool follows_from_header = false;
  static constexpr bool is_copied = true;

  // IPv4 options are part of the header's checksum, wherever they end. An answer ends with ICMP's fixed header.
  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view packet) {
    if (packet.contiguous <= routing::ip_at) return true;
    return wire::ethernet_view{packet.data}.type() != wire::ether_type::ipv4 ||
           routing::ipv4_of(packet).header_length() <= wire::ipv4_view<std::byte>::min_header_length;
  }

  // Copied: for a caller that is seldom in a kernel; else a part of it is a call.
  template <bool Copied = true>
  [[nodiscard]] HOST_DEVICE static verdict process(packet_view packet, ref const& tables) {
    auto const admitted = routing::admit(packet, tables);
    if (admitted.version == routing::ip_version::none) return admitted.otherwise;
    bool const is_ipv4 = admitted.version == routing::ip_version::ipv4;
    auto const wrong = is_ipv4 ? routing::check_ipv4(packet, tables.source_routes) : routing::check_ipv6(packet);
    if (wrong != routing::fault::none) return routing::drop(wrong);
    if constexpr (Copied) {
      return is_ipv4 ? routing::route(packet, routing::ipv4_of(packet), tables)
                     : routing::route(packet, routing::ipv6_of(packet), tables);
    } else {
      return is_ipv4 ? routing::call_route<ipv4_header>(packet, routing::ipv4_of(packet), tables)
                     : routing::call_route<ipv6_header>(packet, routing::ipv6_of(packet), tables);
    }
  }

  // The same with other stages' route hooks, for packets between hosts. Hooks::meets<Ip> tells whether any hook sees
  // packets with this IP header; without one they are routed as above.
  template <class Hooks>
  [[nodiscard]] HOST_DEVICE_COPIED static verdict process(packet_view packet, ref const& tables, Hooks& hooks) {
    auto const admitted = routing::admit(packet, tables);
    if (admitted.version == routing::ip_version::none) return admitted.otherwise;
    if (admitted.version == routing::ip_version::ipv6) {
      if constexpr (Hooks::template meets<ipv6_header>) {
        auto const wrong = routing::check_ipv6(packet);
        if (wrong != routing::fault::none) return routing::drop(wrong);
        return route_by_hooks(packet, routing::ipv6_of(packet), tables, hooks);
      } else {
        return process<false>(packet, tables);
      }
    }
    if constexpr (Hooks::template meets<ipv4_header>) {
      auto const wrong = routing::check_ipv4(packet, tables.source_routes);
      if (wrong != routing::fault::none) return routing::drop(wrong);
      return route_by_hooks(packet, routing::ipv4_of(packet), tables, hooks);
    } else {
      return process<false>(packet, tables);
    }
  }

 private:
  // For a checked packet; inlined into its only caller.
  template <class Ip, class Hooks>
  [[nodiscard, gnu::always_inline]] HOST_DEVICE_COPIED static verdict route_by_hooks(packet_view packet, Ip ip,
                                                                                     ref const& tables, Hooks& hooks) {
    if (!routing::is_between_hosts(ip.source(), ip.destination())) return routing::call_route<Ip>(packet, ip, tables);
    if (routing::is_no_hosts(tables, ip.source())) return routing::drop(routing::fault::martian_source);
    route_state_of<Ip> state{ip.destination()};
    if (auto const said = hooks.pre_route(packet, ip, state); said != next_hook()) return said;
    state.hop = routing::find_next_hop(tables, state.to);
    bool const is_own = state.hop.kind() == next_hop_kind::local && !state.is_redirected;
    if (is_own) return routing::answer(packet, ip, tables);
    if (auto const said = hooks.routed(packet, ip, state); said != next_hook()) return said;
    auto const decided = routing::decide(state.hop, routing::passage_of(packet, ip));
    if (!routing::is_let_go(decided)) return decided;
    if (auto const said = hooks.post_route(packet, ip, state); said != next_hook()) return said;
    routing::rewrite(packet, ip, state.hop);
    return decided;
  }
};
static_assert(packet_function<router>);

}  // namespace packetwarp
