// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/hook.h"
#include "routing/router_ref.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

namespace packetwarp {

// The state of an IP packet while the router and the stages around it route it. It lies in registers.
template <class Address>
struct address_route_state {
  Address to;            // the packet is routed to this address: its destination, unless a pre_route hook sets another
  bool is_redirected{};  // a pre_route hook has set another: the router does not answer the packet itself
  next_hop hop{};        // the next hop of `to`; from `routed` on
};
using route_state = address_route_state<wire::ipv4_address>;
// By the view of a packet's IP header.
template <class Ip>
using route_state_of = address_route_state<decltype(std::declval<Ip const&>().destination())>;

using ipv4_header = wire::ipv4_view<std::byte>;
using ipv6_header = wire::ipv6_view<std::byte>;

// The state that a stage's route hooks hand on to its later ones: S::passage, or nothing.
struct no_passage {};
template <class S>
struct passage_type {
  using type = no_passage;
};
template <class S>
requires requires { typename S::passage; }
struct passage_type<S> {
  using type = typename S::passage;
};
template <class S>
using passage_of = typename passage_type<S>::type;

// A stage takes part in routing by any of three hooks: pre_route, routed, post_route (hook.h). Each is called as
// hook(packet, IP header, route_state_of that, passage&, tables, router's tables); a stage that works on packets
// together may take its annotation as the last argument. The packet has been checked and goes from one remote host to
// another, or to the router itself. A hook sees packets of the IP version whose header it takes: one that takes an
// ipv4_header sees no IPv6 packets, and one that takes either sees both.
template <class S, class Ip, class... Found>
concept has_pre_route = requires(packet_view packet, Ip ip, route_state_of<Ip>& state, passage_of<S>& mine,
                                 typename S::ref const& tables, router_ref const& routes, Found const&... found) {
  { S::pre_route(packet, ip, state, mine, tables, routes, found...) } -> std::same_as<verdict>;
};
template <class S, class Ip, class... Found>
concept has_routed = requires(packet_view packet, Ip ip, route_state_of<Ip>& state, passage_of<S>& mine,
                              typename S::ref const& tables, router_ref const& routes, Found const&... found) {
  { S::routed(packet, ip, state, mine, tables, routes, found...) } -> std::same_as<verdict>;
};
template <class S, class Ip, class... Found>
concept has_post_route = requires(packet_view packet, Ip ip, route_state_of<Ip>& state, passage_of<S>& mine,
                                  typename S::ref const& tables, router_ref const& routes, Found const&... found) {
  { S::post_route(packet, ip, state, mine, tables, routes, found...) } -> std::same_as<verdict>;
};
template <class S, class Ip, class... Found>
concept has_hooks_by = has_pre_route<S, Ip, Found...> || has_routed<S, Ip, Found...> || has_post_route<S, Ip, Found...>;

// The hooks that take the annotation: each of them, and any.
template <class S, class Ip>
concept has_joint_pre_route = has_joint_work<S> && has_pre_route<S, Ip, typename S::annotation>;
template <class S, class Ip>
concept has_joint_routed = has_joint_work<S> && has_routed<S, Ip, typename S::annotation>;
template <class S, class Ip>
concept has_joint_post_route = has_joint_work<S> && has_post_route<S, Ip, typename S::annotation>;
template <class S, class Ip>
concept has_joint_hooks_for = has_joint_work<S> && has_hooks_by<S, Ip, typename S::annotation>;
template <class S, class Ip>
concept has_route_hooks_for = has_hooks_by<S, Ip> || has_joint_hooks_for<S, Ip>;
template <class S>
concept has_route_hooks = has_route_hooks_for<S, ipv4_header> || has_route_hooks_for<S, ipv6_header>;
template <class S>
concept has_joint_route_hooks = has_joint_hooks_for<S, ipv4_header> || has_joint_hooks_for<S, ipv6_header>;

// Whether S has a short way, after look_ahead() (function.h), for most IPv4 packets that no other stage's route hooks
// have to see: it does all the work of its hooks and the router, or returns next_hook() with the packet unchanged.
template <class S>
concept has_short_way = has_route_hooks<S> &&
    requires(packet_view packet, typename S::ref const& tables, router_ref const& routes, typename S::outlook& seen) {
  { S::look_ahead(packet, tables, routes) } -> std::same_as<typename S::outlook>;
  S::look_further(tables, routes, seen);
  { S::go_short_way(packet, tables, routes, seen) } -> std::same_as<verdict>;
};

// Whether S can tell, before a packet is routed, that its route hooks would neither decide on the packet nor change it,
// wherever it goes; false is never wrong. Another stage's short way is open to packets that pass in this sense; a chain
// with route hooks that cannot tell has no short way.
template <class S, class... Found>
concept has_passes_routes_by = requires(packet_view packet, typename S::ref const& tables, Found const&... found) {
  { S::passes_routes(packet, tables, found...) } -> std::same_as<bool>;
};
template <class S>
concept has_joint_passes_routes = has_joint_work<S> && has_passes_routes_by<S, typename S::annotation>;
template <class S>
concept has_passes_routes = has_passes_routes_by<S> || has_joint_passes_routes<S>;

}  // namespace packetwarp
