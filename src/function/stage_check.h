// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "function/hook.h"
#include "function/route_hooks.h"

// A chain finds a stage's hooks by concepts, so a hook with a wrong signature would be none, and nothing would call it.
// The chain therefore refuses a stage that has a member with a hook's name and not the hook.
namespace packetwarp {

namespace stage_parts {

// S has a member with a name, whatever it is, if the name is ambiguous in a class that is derived from S and from a
// class with that member. This also finds templates, overloaded functions and private members.
template <class S, class Named>
struct both : S, Named {};
struct ingress_named {
  int ingress;
};
struct passes_named {
  int passes;
};
struct asks_for_copy_named {
  int asks_for_copy;
};
struct egress_named {
  int egress;
};
struct pre_route_named {
  int pre_route;
};
struct routed_named {
  int routed;
};
struct post_route_named {
  int post_route;
};
struct passes_routes_named {
  int passes_routes;
};
template <class S>
inline constexpr bool names_ingress = !requires {
  &both<S, ingress_named>::ingress;
};
template <class S>
inline constexpr bool names_passes = !requires {
  &both<S, passes_named>::passes;
};
template <class S>
inline constexpr bool names_copies = !requires {
  &both<S, asks_for_copy_named>::asks_for_copy;
};
template <class S>
inline constexpr bool names_egress = !requires {
  &both<S, egress_named>::egress;
};
template <class S>
inline constexpr bool names_pre_route = !requires {
  &both<S, pre_route_named>::pre_route;
};
template <class S>
inline constexpr bool names_routed = !requires {
  &both<S, routed_named>::routed;
};
template <class S>
inline constexpr bool names_post_route = !requires {
  &both<S, post_route_named>::post_route;
};
template <class S>
inline constexpr bool names_passes_routes = !requires {
  &both<S, passes_routes_named>::passes_routes;
};

// The same hook for packets of either IP version, with or without the annotation.
template <class S>
concept has_any_pre_route = has_pre_route<S, ipv4_header> || has_pre_route<S, ipv6_header> ||
    has_joint_pre_route<S, ipv4_header> || has_joint_pre_route<S, ipv6_header>;
template <class S>
concept has_any_routed = has_routed<S, ipv4_header> || has_routed<S, ipv6_header> || has_joint_routed<S, ipv4_header> ||
    has_joint_routed<S, ipv6_header>;
template <class S>
concept has_any_post_route = has_post_route<S, ipv4_header> || has_post_route<S, ipv6_header> ||
    has_joint_post_route<S, ipv4_header> || has_joint_post_route<S, ipv6_header>;

// A switched stage (switched.h) has all names; those of the stage in it count.
template <class S>
struct bare_of {
  using type = S;
};
template <class S>
requires requires { S::is_switched; }
struct bare_of<S> {
  using type = typename S::stage;
};

// Whether S has the hook, or nothing of its name.
template <class S>
inline constexpr bool sound_ingress = has_ingress<S> || !(names_ingress<S> || names_passes<S>);
template <class S>
inline constexpr bool sound_copies = has_copies<S> || !names_copies<S>;
template <class S>
inline constexpr bool sound_egress = has_egress<S> || !names_egress<S>;
template <class S>
inline constexpr bool sound_pre_route = has_any_pre_route<S> || !names_pre_route<S>;
template <class S>
inline constexpr bool sound_routed = has_any_routed<S> || !names_routed<S>;
template <class S>
inline constexpr bool sound_post_route = has_any_post_route<S> || !names_post_route<S>;
template <class S>
inline constexpr bool sound_passes_routes = has_passes_routes<S> || !names_passes_routes<S>;
template <class S>
inline constexpr bool is_sound = sound_ingress<S>&& sound_copies<S>&& sound_egress<S>&& sound_pre_route<S>&&
    sound_routed<S>&& sound_post_route<S>&& sound_passes_routes<S>;

}  // namespace stage_parts

// Whether each member of S with a hook's name is that hook.
template <class S>
inline constexpr bool is_sound_stage = stage_parts::is_sound<typename stage_parts::bare_of<S>::type>;
// Whether packets meet S anywhere in a chain.
template <class S>
inline constexpr bool has_any_hook = has_ingress<S> || has_egress<S> || has_route_hooks<S>;

// Says what is wrong with a stage that is not sound. `tables` is taken_for_burst<S>::type for ingress and egress hooks,
// and S::ref const& for route hooks.
template <class S>
struct stage_check {
  static_assert(!std::is_final_v<S>, "a stage is not final: its hooks are looked for by their names");
  static_assert(stage_parts::sound_ingress<S>,
                "the ingress hook has static bool passes(packet_view, tables), void assume_passes(packet_view) and "
                "verdict ingress(packet_view, tables); the first and the last may take the annotation, too");
  static_assert(stage_parts::sound_copies<S>,
                "static bool asks_for_copy(tables, annotation const&), beside an ingress hook with the annotation");
  static_assert(stage_parts::sound_egress<S>,
                "the egress hook has static bool has_egress(tables) and verdict egress(packet_view, tables, verdict)");
  static_assert(
      stage_parts::sound_pre_route<S>,
      "static verdict pre_route(packet_view, ipv4_header or ipv6_header, route_state_of it &, passage_of S &, "
      "S::ref const&, router_ref const&); it may take the annotation, too");
  static_assert(stage_parts::sound_routed<S>,
                "static verdict routed(packet_view, ipv4_header or ipv6_header, route_state_of it &, passage_of S &, "
                "S::ref const&, router_ref const&); it may take the annotation, too");
  static_assert(
      stage_parts::sound_post_route<S>,
      "static verdict post_route(packet_view, ipv4_header or ipv6_header, route_state_of it &, passage_of S &, "
      "S::ref const&, router_ref const&); it may take the annotation, too");
  static_assert(stage_parts::sound_passes_routes<S>,
                "static bool passes_routes(packet_view, S::ref const&); it may take the annotation, too");
  static constexpr bool is_sound = is_sound_stage<S>;
};

// The check of a chain's stages, the last of which routes.
template <class Route, class... Stages>
inline constexpr bool are_sound_stages = ((stage_check<typename stage_parts::bare_of<Stages>::type>::is_sound &&
                                           (std::is_same_v<Stages, Route> ||
                                            has_any_hook<typename stage_parts::bare_of<Stages>::type>)) &&
                                          ...);

}  // namespace packetwarp
