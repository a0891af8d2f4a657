// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/function.h"
#include "function/held_tables.h"
#include "function/hook.h"
#include "function/route_hooks.h"

// The parts of a chain (chain.h): one per stage, side by side.
namespace packetwarp::chain_parts {

template <std::size_t N, class... Stages>
using nth_of = std::tuple_element_t<N, std::tuple<Stages...>>;
template <class... Stages>
using last_of = nth_of<sizeof...(Stages) - 1, Stages...>;

template <class S>
struct stage_ref {
  typename S::ref value;
};

// S's tables as held for a burst; empty for a stage that takes its tables as they are.
template <class S>
struct stage_held {
  [[nodiscard]] HOST_DEVICE static stage_held of(typename S::ref const&, burst_facts) { return {}; }
};
template <holds_tables S>
struct stage_held<S> {
  typename S::held value;
  [[nodiscard]] HOST_DEVICE static stage_held of(typename S::ref const& tables, burst_facts facts) {
    return {taken_for_burst<S>::of(tables, facts)};
  }
};

// The stage that routes. On a GPU the code that works on packets together is once in a kernel, and so is the one that
// routes them then: it is copied. In other chains it is a call, if it can be (function/router/router.h).
template <class Route, bool IsJoint>
struct routing_of : Route {};
#if defined(__CUDA_ARCH__)
template <class Route, bool IsJoint>
requires requires(packet_view packet, typename Route::ref const& tables) {
  Route::template process<IsJoint>(packet, tables);
}
struct routing_of<Route, IsJoint> {
  [[nodiscard]] HOST_DEVICE_COPIED static verdict process(packet_view packet, typename Route::ref const& tables) {
    return Route::template process<IsJoint>(packet, tables);
  }
};
#endif

// The result of looking ahead at a packet: whether it passes a stage's ingress, as far as this needs no annotation, or
// the data for the stage's short way.
template <class S>
concept has_lone_ingress = has_ingress<S> && !has_joint_ingress<S>;
template <class S>
struct stage_outlook {};
template <has_lone_ingress S>
struct stage_outlook<S> {
  bool value;
};
template <has_short_way S>
struct stage_outlook<S> {
  typename S::outlook value;
};

// A part for each stage; of<S>() is the one for S.
template <template <class> class Part, class... Stages>
struct side_by_side : Part<Stages>... {
  template <class S>
  [[nodiscard]] HOST_DEVICE auto& of() {
    return static_cast<Part<S>&>(*this).value;
  }
  template <class S>
  [[nodiscard]] HOST_DEVICE auto const& of() const {
    return static_cast<Part<S> const&>(*this).value;
  }
};

// Whether S has route hooks that another stage's short way would leave out.
template <class S>
inline constexpr bool is_asked_for_short_way = has_route_hooks<S> && !has_short_way<S>;

// The room that the packets of a group share for S, and S's annotation of one packet.
template <class S>
struct stage_room {};
template <has_joint_work S>
struct stage_room<S> {
  typename S::room value;
};
template <class S>
struct stage_annotation {};
template <has_joint_work S>
struct stage_annotation<S> {
  typename S::annotation value;
};

// The data that a stage's route hooks hand on to its later hooks.
template <class S>
struct stage_passage {};
template <has_route_hooks S>
struct stage_passage<S> {
  passage_of<S> value{};
};

// The number of drop names before S's: the names of the stage that routes come first.
template <class S, class Route, class... Stages>
[[nodiscard]] constexpr std::size_t names_before() {
  if (std::is_same_v<S, Route>) return 0;
  std::size_t count = Route::drop_names.size();
  bool is_before = true;
  ((is_before = is_before && !std::is_same_v<S, Stages>,
    count += is_before && !std::is_same_v<Stages, Route> ? Stages::drop_names.size() : 0),
   ...);
  return count;
}
template <class Route, class... Stages>
[[nodiscard]] constexpr auto joined_drop_names() {
  std::array<std::string_view, (Stages::drop_names.size() + ...)> all{};
  (std::copy(Stages::drop_names.begin(), Stages::drop_names.end(),
             all.begin() + names_before<Stages, Route, Stages...>()),
   ...);
  return all;
}

// Converts a stage's drop reason to the chain's.
template <class S, class Route, class... Stages>
[[nodiscard]] HOST_DEVICE constexpr verdict as_chains(verdict said) {
  constexpr auto before = names_before<S, Route, Stages...>();
  if (before == 0 || said.what() != verdict::action::drop || said.why() < drop_reason::first_of_function) return said;
  return verdict::drop(static_cast<drop_reason>(static_cast<std::uint16_t>(said.why()) + before), said.move());
}

// The stage that gives each drop name.
template <class Route, class... Stages>
[[nodiscard]] constexpr auto joined_drop_stages() {
  std::array<std::string_view, (Stages::drop_names.size() + ...)> all{};
  (std::fill_n(all.begin() + names_before<Stages, Route, Stages...>(), Stages::drop_names.size(), Stages::name), ...);
  return all;
}

// Stages of a chain: bit n is the n-th.
using stage_set = std::uint32_t;
template <class... Stages>
inline constexpr stage_set all_of = (stage_set{1} << sizeof...(Stages)) - 1;

template <stage_set On, class... Stages>
[[nodiscard]] constexpr auto names_of() {
  std::array<std::string_view, std::popcount(On & all_of<Stages...>)> all{};
  std::size_t count = 0;
  stage_set bit = 1;
  (((On & bit) != 0 ? (void)(all[count++] = Stages::name) : (void)0, bit <<= 1), ...);
  return all;
}

// "rules, nat44": the name of the stage that routes is left out if another stage takes part in routing.
template <stage_set On, class... Stages>
[[nodiscard]] constexpr auto joined_names() {
  constexpr bool leaves_out_last = [] {
    stage_set bit = 1;
    bool is_routed = false;
    ((is_routed = is_routed || (has_route_hooks<Stages> && (On & bit) != 0), bit <<= 1), ...);
    return is_routed;
  }();
  constexpr std::string_view between = ", ";
  constexpr auto names = names_of<On, Stages...>();
  constexpr std::size_t count = names.size() - (leaves_out_last ? 1 : 0);
  constexpr std::size_t length = [&] {
    std::size_t bytes = (count - 1) * between.size();
    for (std::size_t i = 0; i < count; ++i) bytes += names[i].size();
    return bytes;
  }();
  std::array<char, length> text{};
  auto* at = text.data();
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) at = std::copy(between.begin(), between.end(), at);
    at = std::copy(names[i].begin(), names[i].end(), at);
  }
  return text;
}

// A chain's verdict on a packet that has met S's ingress hook, and the copy that S may ask for. known: the packet's
// annotation first.
template <class S>
[[nodiscard]] HOST_DEVICE bool asks_for_copy(auto const& all, auto const& found, auto const&...) {
  return S::asks_for_copy(all.template of<S>(), found.template of<S>());
}
template <class S>
[[nodiscard]] HOST_DEVICE verdict with_copy_of(verdict said, auto const& all, auto const&... known) {
  if constexpr (has_copies<S>) {
    return asks_for_copy<S>(all, known...) ? said.with_copy() : said;
  } else {
    return said;
  }
}

// The later verdict on a packet, with the copy that the earlier one has.
[[nodiscard]] HOST_DEVICE inline verdict keep_copy(verdict earlier, verdict later) {
  return earlier.has_copy() ? later.with_copy() : later;
}

// Whether a chain may run without S (switched.h). S says so by a member of this name.
template <class S>
inline constexpr bool is_switched = false;
template <class S>
requires requires { S::is_switched; }
inline constexpr bool is_switched<S> = S::is_switched;

// Whether a chain routes as without other stages once all of its switches are off.
template <class... Stages>
inline constexpr bool has_switched_hooks_alone = ((!has_route_hooks<Stages> || is_switched<Stages>)&&...);

}  // namespace packetwarp::chain_parts
