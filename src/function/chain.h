// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/chain_gather.h"
#include "function/chain_hooks.h"
#include "function/chain_parts.h"
#include "function/function.h"
#include "function/held_tables.h"
#include "function/hook.h"
#include "function/joined_header.h"
#include "function/route_hooks.h"
#include "function/stage_check.h"

namespace packetwarp {

// A chain of stages that packets go through one after the other (function/hook.h), itself a function; the last stage
// routes them. It calls ingress and route hooks in the order of the stages, and egress hooks in the opposite order. The
// drop names of the stage that routes come first, then the other stages' in their order.
template <class... Stages>
struct chain {
  using route = chain_parts::last_of<Stages...>;
  static_assert(are_sound_stages<route, Stages...>, "a stage of which no hook is called, or not each one (hook.h)");

  struct ref : chain_parts::stage_ref<Stages>... {
    template <class S>
    [[nodiscard]] HOST_DEVICE typename S::ref const& of() const {
      return static_cast<chain_parts::stage_ref<S> const&>(*this).value;
    }
  };
  // The tables of all stages, as the stages hold them for a burst.
  struct held : chain_parts::stage_held<Stages>... {
    ref const& tables;

    // Stage S's part of it.
    template <class S>
    [[nodiscard]] HOST_DEVICE typename taken_for_burst<S>::type const& of() const {
      if constexpr (holds_tables<S>) {
        return static_cast<chain_parts::stage_held<S> const&>(*this).value;
      } else {
        return tables.template of<S>();
      }
    }
  };
  struct outlook : chain_parts::side_by_side<chain_parts::stage_outlook, Stages...> {};
  struct foresight : chain_parts::side_by_side<chain_parts::stage_foresight, Stages...> {};
  struct room : chain_parts::side_by_side<chain_parts::stage_room, Stages...> {};
  struct annotation : chain_parts::side_by_side<chain_parts::stage_annotation, Stages...> {};

  // The offset of S's room in the chain's room. Host code.
  template <class S>
  [[nodiscard]] static std::size_t offset_in_room() {
    if constexpr (has_joint_work<S>) {
      static room const all{};
      return static_cast<std::size_t>(reinterpret_cast<std::byte const*>(&all.template of<S>()) -
                                      reinterpret_cast<std::byte const*>(&all));
    } else {
      return 0;
    }
  }

  static constexpr auto name_text = chain_parts::joined_names<chain_parts::all_of<Stages...>, Stages...>();
  static constexpr std::string_view name{name_text.data(), name_text.size()};
  static constexpr auto drop_names = chain_parts::joined_drop_names<route, Stages...>();
  static constexpr std::array<std::string_view, sizeof...(Stages)> stage_names{Stages::name...};
  static constexpr auto drop_stages = chain_parts::joined_drop_stages<route, Stages...>();
  static constexpr departure leaves = departs<route>;
  static constexpr table_care care =
      ((care_of<Stages> == table_care::swept) || ...) ? table_care::swept : table_care::none;
  static constexpr table_share share =
      ((share_of<Stages> == table_share::divided) || ...) ? table_share::divided : table_share::copied;
  // A stage's verdict follows from tables that change while packets go through.
  static constexpr bool follows_from_header = false;

  static constexpr bool has_joint_stages = (has_joint_work<Stages> || ...);
  static constexpr bool has_own_kernels = (packetwarp::has_own_kernels<Stages> || ...);
  static constexpr bool reaches_payload = (packetwarp::reaches_payload<Stages> || ...);
  static constexpr bool goes_in_step = (packetwarp::goes_in_step<Stages> || ...);
  static constexpr bool follows_epochs = (packetwarp::follows_epochs<Stages> || ...);

  // Whether the stage that gives the n-th of drop_names is switched on.
  [[nodiscard]] static bool gives(std::size_t n, ref const& tables) requires(chain_parts::is_switched<Stages> || ...) {
    return ((drop_stages[n] == Stages::name && is_on<Stages>(tables)) || ...);
  }

  // Every stage must agree.
  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view view) requires(has_stays_near<Stages>&&...) {
    return (Stages::stays_near(view) && ...);
  }

  [[nodiscard]] HOST_DEVICE static held hold(ref const& tables) requires(!follows_epochs) {
    return hold_all(tables, {});
  }
  // Each stage that follows epochs gets the epoch.
  [[nodiscard]] HOST_DEVICE static held hold(ref const& tables, epoch_number epoch) requires follows_epochs {
    return hold_all(tables, {.epoch = epoch});
  }
  [[nodiscard]] HOST_DEVICE static verdict process(packet_view view,
                                                   ref const& tables) requires(!has_joint_stages && !follows_epochs) {
    return process(view, hold(tables));
  }
  [[nodiscard]] HOST_DEVICE static verdict process(packet_view view, held const& all) requires(!has_joint_stages) {
    return start(view, all);
  }

  // The joint work of the stages (function.h, has_joint_work); each stage has a room of its own.
  HOST_DEVICE static void gather(packet_view view, unsigned n, held const& all,
                                 room& shared) requires has_joint_stages {
    (chain_parts::gather_for<Stages>(view, n, all, shared, teller{all.tables}), ...);
  }
  // The same on a CPU that fetches memory ahead (gathers_ahead), if a stage can.
  [[nodiscard]] static bool foresees(held const& all) requires(gathers_ahead<Stages> || ...) {
    return (chain_parts::foresees<Stages>(all) || ...);
  }
  static void foresee(packet_view view, held const& all, foresight& seen) requires(gathers_ahead<Stages> || ...) {
    (chain_parts::foresee_for<Stages>(view, all, seen, teller{all.tables}), ...);
  }
  [[gnu::always_inline]] static void foresee_further(foresight& seen,
                                                     held const& all) requires(gathers_ahead<Stages> || ...) {
    (chain_parts::foresee_further_for<Stages>(seen, all), ...);
  }
  static void gather(packet_view view, unsigned n, held const& all, room& shared,
                     foresight const& seen) requires(gathers_ahead<Stages> || ...) {
    (chain_parts::gather_ahead_for<Stages>(view, n, all, shared, seen, teller{all.tables}), ...);
  }
  HOST_DEVICE_COPIED static void work(auto const& group, held const& all, room& shared) requires has_joint_stages {
    (chain_parts::work_for<Stages>(group, all, shared), ...);
  }
  [[nodiscard]] HOST_DEVICE static annotation annotation_of(unsigned n, room const& shared) requires has_joint_stages {
    annotation found{};
    (chain_parts::read_annotation_of<Stages>(n, shared, found), ...);
    return found;
  }
  [[nodiscard]] HOST_DEVICE static verdict process(packet_view view, held const& all,
                                                   annotation const& found) requires has_joint_stages {
    return start(view, all, found);
  }

  // The steps of a CPU that looks ahead (function.h), if one stage has them and the route hooks of all other stages can
  // tell whether they leave a packet alone.
  static constexpr bool has_a_short_way =
      (std::size_t{has_short_way<Stages>} + ...) == 1 &&
      ((!chain_parts::is_asked_for_short_way<Stages> || has_passes_routes<Stages>)&&...);
  // Not if the stage with the short way is switched off.
  [[nodiscard]] static bool gains_ahead(held const& all) requires has_a_short_way {
    return ((has_short_way<Stages> && is_on<Stages>(all.tables)) || ...);
  }
  [[nodiscard]] static outlook look_ahead(packet_view view, held const& all) requires has_a_short_way {
    outlook seen;
    // The stage with the short way goes first: the other stages ask again for the packet's words that it reads.
    (look_short_way<Stages>(view, all, seen), ...);
    (look_ingress<Stages>(view, all, seen), ...);
    return seen;
  }
  static void look_further(outlook& seen, held const& all) requires has_a_short_way {
    (look_further_at<Stages>(seen, all), ...);
  }
  [[nodiscard]] static verdict process(packet_view view, held const& all,
                                       outlook const& seen) requires(has_a_short_way && !has_joint_stages) {
    return start(view, all, looked{seen});
  }
  [[nodiscard]] static verdict process(packet_view view, held const& all, annotation const& found,
                                       outlook const& seen) requires(has_a_short_way&& has_joint_stages) {
    return start(view, all, found, looked{seen});
  }

 private:
  template <std::size_t N>
  using stage = chain_parts::nth_of<N, Stages...>;
  using teller = chain_parts::teller<ref, Stages...>;

  [[nodiscard]] HOST_DEVICE static held hold_all(ref const& tables, burst_facts facts) {
    return {chain_parts::stage_held<Stages>::of(tables.template of<Stages>(), facts)..., tables};
  }

  template <class S>
  [[nodiscard]] static bool is_on(ref const& tables) {
    if constexpr (chain_parts::is_switched<S>) return tables.template of<S>().is_on != 0;
    return true;
  }

  // Converts a stage's drop reason to the chain's.
  template <class S>
  [[nodiscard]] HOST_DEVICE static constexpr verdict as_chains(verdict said) {
    return chain_parts::as_chains<S, route, Stages...>(said);
  }

  // Facts that are known before a packet meets hooks, by value: its annotation, then the result of look_ahead().
  struct looked {
    outlook const& ahead;
  };

  // The headers of a split packet lie in one piece for the hooks.
  [[nodiscard]] HOST_DEVICE static verdict start(packet_view view, held const& all, auto... known) {
    if constexpr (reaches_payload) {
      if (joined_header::is_needed(view)) return start_joined(view, all, known...);
    }
    return enter<0>(view, all, known...);
  }
  template <class... Found>
  [[nodiscard, gnu::noinline]] HOST_DEVICE static verdict enter_joined(packet_view view, held all, Found... found) {
    joined_header header{view};
    auto const said = enter<0>(header.view(), all, found...);
    header.put_back(said);
    return said;
  }
  // The result of look_ahead() is left out: it is about the first piece alone.
  [[nodiscard]] HOST_DEVICE static verdict start_joined(packet_view view, held const& all) {
    return enter_joined(view, all);
  }
  [[nodiscard]] static verdict start_joined(packet_view view, held const& all, looked) {
    return enter_joined(view, all);
  }
  [[nodiscard]] HOST_DEVICE static verdict start_joined(packet_view view, held const& all, annotation found, auto...) {
    return enter_joined(view, all, found);
  }

  // From the n-th stage's ingress to its egress.
  template <std::size_t N>
  [[nodiscard]] HOST_DEVICE static verdict enter(packet_view view, held const& all, auto... known) {
    using here = stage<N>;
    if constexpr (std::is_same_v<here, route>) {
      return go_through(view, all, known...);
    } else {
      if constexpr (has_ingress<here>) {
        if (!passes<here>(view, all, known...)) return meet<N>(view.data, view.contiguous, view.length, all, known...);
        here::assume_passes(view);
      }
      return leave<N>(view, all, enter<N + 1>(view, all, known...));
    }
  }
  template <class S>
  [[nodiscard]] HOST_DEVICE static bool passes(packet_view view, held const& all) {
    return S::passes(view, all.template of<S>());
  }
  template <class S>
  [[nodiscard]] static bool passes(packet_view, held const&, looked seen) {
    return seen.ahead.template of<S>();
  }
  template <class S>
  [[nodiscard]] HOST_DEVICE static bool passes(packet_view view, held const& all, annotation found, auto... seen) {
    if constexpr (has_joint_ingress<S>) {
      return S::passes(view, all.template of<S>(), found.template of<S>());
    } else {
      return passes<S>(view, all, seen...);
    }
  }
  template <class S>
  [[nodiscard]] HOST_DEVICE static verdict ingress_of(packet_view view, held const& all, auto...) {
    return S::ingress(view, all.template of<S>());
  }
  template <has_joint_ingress S>
  [[nodiscard]] HOST_DEVICE static verdict ingress_of(packet_view view, held const& all, annotation found, auto...) {
    return S::ingress(view, all.template of<S>(), found.template of<S>());
  }
  // For a packet that may not pass. The function is not inlined into an executor's loops, but is flattened as they are.
  // It takes words, which are handed over in registers: a view would lie in memory for all packets.
  template <std::size_t N>
  [[nodiscard, gnu::noinline, gnu::flatten]] HOST_DEVICE static verdict meet(std::byte* data, std::uint32_t contiguous,
                                                                             std::uint32_t length, held all,
                                                                             auto... known) {
    using here = stage<N>;
    packet_view const view{data, contiguous, length};
    auto const said = ingress_of<here>(view, all, known...);
    if (said != next_hook()) return as_chains<here>(said);
    return chain_parts::with_copy_of<here>(leave<N>(view, all, enter<N + 1>(view, all, known...)), all, known...);
  }

  // said: the verdict of the stages after the n-th.
  template <std::size_t N>
  [[nodiscard]] HOST_DEVICE static verdict leave(packet_view view, held const& all, verdict said) {
    if constexpr (has_egress<stage<N>>) {
      if (said.what() != verdict::action::forward || !stage<N>::has_egress(all.template of<stage<N>>())) return said;
      return chain_parts::keep_copy(said, meet_egress<N>(view.data, view.contiguous, view.length, all, said));
    } else {
      return said;
    }
  }
  template <std::size_t N>
  [[nodiscard, gnu::noinline]] HOST_DEVICE static verdict meet_egress(std::byte* data, std::uint32_t contiguous,
                                                                      std::uint32_t length, held all, verdict said) {
    using here = stage<N>;
    return as_chains<here>(here::egress({data, contiguous, length}, all.template of<here>(), said.without_copy()));
  }

  // Runs the stage that routes, and the route hooks of the other stages.
  static constexpr bool has_hooks = (has_route_hooks<Stages> || ...);
  [[nodiscard]] static bool has_hooks_on(ref const& tables) {
    return ((has_route_hooks<Stages> && is_on<Stages>(tables)) || ...);
  }
  static constexpr bool has_joint_hooks = (has_joint_route_hooks<Stages> || ...);
  [[nodiscard]] HOST_DEVICE static verdict go_through(packet_view view, held const& all) {
    if constexpr (has_hooks) {
#if !defined(__CUDA_ARCH__)
      // On a CPU the router is then inlined; on a GPU a second copy of it would cost more than the switches.
      if constexpr (chain_parts::has_switched_hooks_alone<Stages...>) {
        if (!has_hooks_on(all.tables)) return route::process(view, all.tables.template of<route>());
      }
#endif
      return meet_route_hooks(view, all.tables);
    } else {
      return chain_parts::routing_of<route, has_joint_stages>::process(view, all.tables.template of<route>());
    }
  }
  [[nodiscard]] HOST_DEVICE static verdict go_through(packet_view view, held const& all, annotation found) {
    if constexpr (has_joint_hooks) {
      return meet_route_hooks(view, all.tables, found);
    } else {
      return go_through(view, all);
    }
  }
  [[nodiscard]] static verdict go_through(packet_view view, held const& all, looked seen) {
    return go_short_way(view, all, seen.ahead);
  }
  [[nodiscard]] static verdict go_through(packet_view view, held const& all, annotation found, looked seen) {
    return go_short_way(view, all, seen.ahead, found);
  }
  [[nodiscard]] static verdict go_short_way(packet_view view, held const& all, outlook const& seen, auto... found) {
    if ((passes_routes<Stages>(view, all.tables, found...) && ...)) {
      auto said = next_hook();
      (try_short_way<Stages>(view, all, seen, said), ...);
      if (said != next_hook()) return said;
    }
    return go_long_way(view.data, view.contiguous, view.length, all.tables, found...);
  }
  [[nodiscard, gnu::noinline]] static verdict go_long_way(std::byte* data, std::uint32_t contiguous,
                                                          std::uint32_t length, ref const& tables, auto... found) {
    return meet_route_hooks({data, contiguous, length}, tables, found...);
  }
  // noinline: a call, not a copy in each of a kernel's loops.
  [[nodiscard, gnu::noinline]] HOST_DEVICE static verdict meet_route_hooks(packet_view view, ref const& tables) {
    chain_parts::route_hooks<ref, chain_parts::no_annotation, Stages...> hooks{tables, {}};
    return route::process(view, tables.template of<route>(), hooks);
  }
  [[nodiscard, gnu::noinline]] HOST_DEVICE static verdict meet_route_hooks(packet_view view, ref const& tables,
                                                                           annotation found) {
    chain_parts::route_hooks<ref, annotation, Stages...> hooks{tables, found};
    return route::process(view, tables.template of<route>(), hooks);
  }

  // Whether packets that S has nothing to do with may go another stage's short way, and whether this is one of them.
  template <class S>
  [[nodiscard]] static bool passes_routes(packet_view view, ref const& tables, auto const&... found) {
    if constexpr (!chain_parts::is_asked_for_short_way<S>) {
      return true;
    } else if constexpr (has_joint_passes_routes<S>) {
      return S::passes_routes(view, tables.template of<S>(), found.template of<S>()...);
    } else {
      return S::passes_routes(view, tables.template of<S>());
    }
  }

  template <class S>
  static void look_short_way(packet_view view, held const& all, outlook& seen) {
    if constexpr (has_short_way<S>) {
      seen.template of<S>() = S::look_ahead(view, all.template of<S>(), all.tables.template of<route>());
    }
  }
  template <class S>
  static void look_ingress(packet_view view, held const& all, outlook& seen) {
    if constexpr (chain_parts::has_lone_ingress<S>) {
      seen.template of<S>() = S::passes(view, all.template of<S>());
    }
  }
  template <class S>
  static void look_further_at(outlook& seen, held const& all) {
    if constexpr (has_short_way<S>) {
      S::look_further(all.template of<S>(), all.tables.template of<route>(), seen.template of<S>());
    }
  }
  template <class S>
  static void try_short_way(packet_view view, held const& all, outlook const& seen, verdict& said) {
    if constexpr (has_short_way<S>) {
      said = S::go_short_way(view, all.template of<S>(), all.tables.template of<route>(), seen.template of<S>());
    }
  }
};

}  // namespace packetwarp
