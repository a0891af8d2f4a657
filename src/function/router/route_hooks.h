// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/hook.h"
#include "function/router/router_ref.h"
#include "wire/ipv4.h"

namespace packetwarp {

// What the router and the stages around it know of an IPv4 packet while it is routed. In registers.
struct route_state {
  wire::ipv4_address to;  // where it is routed to: its destination, unless a pre_route hook says another
  bool is_redirected{};   // a pre_route hook has said another: the router does not answer the packet itself
  next_hop hop{};         // to `to`; from `routed` on
};

// Whether stage S takes part in routing. S::passage is what its hooks hand on to its later ones; they are called as
// hook(packet, IPv4 header, route_state&, passage&, tables, router's tables). The packet has been checked and goes from
// one host elsewhere to another, or to the router itself.
template <class S>
concept has_route_hooks = requires(packet_view packet, wire::ipv4_view<std::byte> ip, route_state& state,
                                   typename S::passage& mine, typename S::ref const& tables, router_ref const& routes) {
  { S::pre_route(packet, ip, state, mine, tables, routes) } -> std::same_as<verdict>;
  { S::routed(packet, ip, state, mine, tables, routes) } -> std::same_as<verdict>;
  { S::post_route(packet, ip, state, mine, tables, routes) } -> std::same_as<verdict>;
};

// Whether S knows a short way for most packets that were looked at ahead (function.h) and that no other stage's route
// hooks have to see: all that its hooks and the router do, or next_hook() with the packet as it was.
template <class S>
concept has_short_way = has_route_hooks<S> &&
    requires(packet_view packet, typename S::ref const& tables, router_ref const& routes, typename S::outlook& seen) {
  { S::look_ahead(packet, tables, routes) } -> std::same_as<typename S::outlook>;
  S::look_further(tables, routes, seen);
  { S::go_short_way(packet, tables, routes, seen) } -> std::same_as<verdict>;
};

}  // namespace packetwarp
