// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "function/route_hooks.h"
#include "joint/header_score.h"

namespace packetwarp::test {

// An example of a joint stage that decides where packets are routed: header_score's classes, of IPv4 and of IPv6
// packets. Packets of a class are dropped before they are routed, packets of the next class are punted
// after their way is known.
struct route_score {
  using ref = header_score::ref;
  using room = header_score::room;
  using annotation = header_score::annotation;

  static constexpr std::string_view name = "route_score";
  static constexpr std::array<std::string_view, 1> drop_names{"bad_route_class"};
  static constexpr std::uint16_t bad_route_class = 0;

  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view packet) { return header_score::stays_near(packet); }
  HOST_DEVICE static void gather(packet_view packet, unsigned n, ref const& tables, room& shared) {
    header_score::gather(packet, n, tables, shared);
  }
  HOST_DEVICE static void work(auto const& group, ref const& tables, room& shared) {
    header_score::work(group, tables, shared);
  }
  [[nodiscard]] HOST_DEVICE static annotation annotation_of(unsigned n, room const& shared) {
    return header_score::annotation_of(n, shared);
  }

  [[nodiscard]] HOST_DEVICE static bool is_punted(ref const& tables, annotation found) {
    return found == (tables.dropped + 1) % header_score::classes;
  }
  // quote: passes
  // The hooks leave these packets alone: another stage's short way is open to them.
  [[nodiscard]] HOST_DEVICE static bool passes_routes(packet_view, ref const& tables, annotation found) {
    return found != tables.dropped && !is_punted(tables, found);
  }
  // quote: end
  // quote: hooks
  [[nodiscard]] HOST_DEVICE static verdict pre_route(packet_view, auto, auto&, no_passage&, ref const& tables,
                                                     router_ref const&, annotation found) {
    return found == tables.dropped ? verdict::drop(function_drop(bad_route_class)) : next_hook();
  }
  [[nodiscard]] HOST_DEVICE static verdict post_route(packet_view, auto, auto&, no_passage&, ref const& tables,
                                                      router_ref const&, annotation found) {
    return is_punted(tables, found) ? verdict::punt() : next_hook();
  }
  // quote: end
};
static_assert(has_joint_hooks_for<route_score, ipv4_header> && has_joint_hooks_for<route_score, ipv6_header>);
static_assert(has_joint_passes_routes<route_score> && !has_ingress<route_score>);

}  // namespace packetwarp::test
