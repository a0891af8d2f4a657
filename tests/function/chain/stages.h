// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/host_device.h"
#include "function/chain.h"
#include "function/function.h"
#include "function/route_hooks.h"
#include "function/router/router.h"

// Stages with route hooks of some kinds, for tests of chains.
namespace packetwarp::test {

// Drops IPv6 packets that would be routed, and has nothing to say of IPv4.
struct no_ipv6 {
  struct ref {};
  static constexpr std::string_view name = "no_ipv6";
  static constexpr std::array<std::string_view, 1> drop_names{"ipv6"};
  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view) { return true; }
  [[nodiscard]] HOST_DEVICE static verdict pre_route(packet_view, ipv6_header, route_state_of<ipv6_header>&,
                                                     no_passage&, ref const&, router_ref const&) {
    return verdict::drop(function_drop(0));
  }
};
static_assert(has_route_hooks_for<no_ipv6, ipv6_header> && !has_route_hooks_for<no_ipv6, ipv4_header>);

// Writes down the hooks that a packet meets, by the letter that its tables have, and what was handed on to them.
template <char Letter>
struct witness {
  struct ref {
    std::string* met;
  };
  struct passage {
    unsigned hooks{};
  };
  static constexpr std::array<char, 1> letter{Letter};
  static constexpr std::string_view name{letter.data(), 1};
  static constexpr std::array<std::string_view, 1> drop_names{"unused"};

  static verdict note(ref const& tables, std::string_view hook, passage& mine) {
    tables.met->append(" ").append(name).append(".").append(hook).append(std::to_string(mine.hooks++));
    return next_hook();
  }
  static verdict pre_route(packet_view, auto, auto&, passage& mine, ref const& tables, router_ref const&) {
    return note(tables, "pre_route", mine);
  }
  static verdict routed(packet_view, auto, auto& state, passage& mine, ref const& tables, router_ref const&) {
    return note(tables, state.hop.kind() == next_hop_kind::none ? "unrouted" : "routed", mine);
  }
  static verdict post_route(packet_view, auto, auto&, passage& mine, ref const& tables, router_ref const&) {
    return note(tables, "post_route", mine);
  }
};
static_assert(has_route_hooks_for<witness<'a'>, ipv6_header> && has_route_hooks_for<witness<'a'>, ipv4_header>);

// A joint stage that finds out each packet's last byte. Packets of which it is 1 are dropped before they are routed,
// and those of which it is 2 when their way is known.
struct last_byte {
  struct ref {};
  struct room {
    std::byte bytes[joint_packets];
  };
  using annotation = std::uint8_t;
  static constexpr std::string_view name = "last_byte";
  static constexpr std::array<std::string_view, 2> drop_names{"one", "two"};

  static void gather(packet_view packet, unsigned n, ref const&, room& shared) {
    shared.bytes[n] = packet.data[packet.contiguous - 1];
  }
  static void work(auto const&, ref const&, room&) {}
  static annotation annotation_of(unsigned n, room const& shared) {
    return std::to_integer<annotation>(shared.bytes[n]);
  }
  static bool passes_routes(packet_view, ref const&, annotation found) { return found != 1 && found != 2; }
  static verdict pre_route(packet_view, auto, auto&, no_passage&, ref const&, router_ref const&, annotation found) {
    return found == 1 ? verdict::drop(function_drop(0)) : next_hook();
  }
  static verdict post_route(packet_view, auto, auto&, no_passage&, ref const&, router_ref const&, annotation found) {
    return found == 2 ? verdict::drop(function_drop(1)) : next_hook();
  }
};

// A stage that hands every IPv4 packet on by its short way, in place of the router, to an egress that this one has not.
struct short_cut {
  struct ref {};
  struct outlook {
    bool is_ipv4;
    bool is_further;
  };
  static constexpr std::string_view name = "short_cut";
  static constexpr std::array<std::string_view, 1> drop_names{"unused"};
  static constexpr egress_index way_out{77};

  static verdict pre_route(packet_view, ipv4_header, route_state&, no_passage&, ref const&, router_ref const&) {
    return next_hook();
  }
  static outlook look_ahead(packet_view packet, ref const&, router_ref const&) {
    return {wire::ethernet_view{packet.data}.type() == wire::ether_type::ipv4, false};
  }
  static void look_further(ref const&, router_ref const&, outlook& seen) { seen.is_further = true; }
  static verdict go_short_way(packet_view, ref const&, router_ref const&, outlook const& seen) {
    return seen.is_ipv4 && seen.is_further ? verdict::forward(way_out) : next_hook();
  }
};
static_assert(has_short_way<short_cut>);

}  // namespace packetwarp::test
