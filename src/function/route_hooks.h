// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/hook.h"
#include "routing/router_ref.h"
#include "wire/ipv4.h"

namespace packetwarp {

// The state of an IPv4 packet while the router and the stages around it route it. It lies in registers.
struct route_state {
  wire::ipv4_address to;  // the packet is routed to this address: its destination, unless a pre_route hook sets another
  bool is_redirected{};   // a pre_route hook has set another: the router does not answer the packet itself
  next_hop hop{};         // the next hop of `to`; from `routed` on
};

// Whether stage S takes part in routing. S::passage is the state that its hooks hand on to its later ones; they are
// called as hook(packet, IPv4 header, route_state&, passage&, tables, router's tables). The packet has been checked and
// goes from one remote host to another, or to the router itself.
template <class S>
concept has_route_hooks = requires(packet_view packet, wire::ipv4_view<std::byte> ip, route_state& state,
                                   typename S::passage& mine, typename S::ref const& tables, router_ref const& routes) {
  { S::pre_route(packet, ip, state, mine, tables, routes) } -> std::same_as<verdict>;
  { S::routed(packet, ip, state, mine, tables, routes) } -> std::same_as<verdict>;
  { S::post_route(packet, ip, state, mine, tables, routes) } -> std::same_as<verdict>;
};

// Whether S has a short way, after look_ahead() (function.h), for most packets that no other stage's route hooks have
// to see: it does all the work of its hooks and the router, or returns next_hook() with the packet unchanged.
template <class S>
concept has_short_way = has_route_hooks<S> &&
    requires(packet_view packet, typename S::ref const& tables, router_ref const& routes, typename S::outlook& seen) {
  { S::look_ahead(packet, tables, routes) } -> std::same_as<typename S::outlook>;
  S::look_further(tables, routes, seen);
  { S::go_short_way(packet, tables, routes, seen) } -> std::same_as<verdict>;
};

}  // namespace packetwarp
