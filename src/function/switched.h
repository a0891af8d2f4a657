// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/function.h"
#include "function/held_tables.h"
#include "function/hook.h"
#include "function/route_hooks.h"
#include "function/told_facts.h"

namespace packetwarp {

namespace switched_parts {

// A value that may be missing, for both CPU and GPU; a missing one is not constructed.
template <class T>
class maybe {
 public:
  HOST_DEVICE maybe() : nothing_{}, is_there_{} {}
  HOST_DEVICE explicit maybe(T const& value) : value_(value), is_there_{1} {}
  [[nodiscard]] HOST_DEVICE bool is_there() const { return is_there_ != 0; }
  // Only if it is there.
  [[nodiscard]] HOST_DEVICE T const& value() const { return value_; }

 private:
  union {
    char nothing_;
    T value_;
  };
  std::uint32_t is_there_;
};

// The types of S that a chain asks for, if S has them.
template <class S>
struct held_of {};
template <holds_tables S>
struct held_of<S> {
  using held = maybe<typename S::held>;
};
template <class S>
struct joint_of {};
template <has_joint_work S>
struct joint_of<S> {
  struct room {
    typename S::room value;
    std::uint32_t is_on;  // written by the first packet that gathers: annotations are read without tables
  };
  using annotation = typename S::annotation;
};
template <class S>
struct foresight_of {};
template <gathers_ahead S>
struct foresight_of<S> {
  using foresight = typename S::foresight;
};
template <class S>
struct passage_type_of {};
template <class S>
requires requires { typename S::passage; }
struct passage_type_of<S> {
  using passage = typename S::passage;
};
template <class S>
struct outlook_of {};
template <has_short_way S>
struct outlook_of<S> {
  using outlook = typename S::outlook;
};

}  // namespace switched_parts

// Stage S with a switch in its tables: if it is off, packets go as if the chain did not have the stage. The switch is
// the same for all packets of an executor, so a branch by it costs next to nothing. For the general chain
// (function/chains.cmake), whose stages a run chooses by its tables and not by its type.
template <class S>
struct switched : switched_parts::held_of<S>,
                  switched_parts::joint_of<S>,
                  switched_parts::foresight_of<S>,
                  switched_parts::passage_type_of<S>,
                  switched_parts::outlook_of<S> {
  static_assert(!packetwarp::has_own_kernels<S>,
                "a stage with kernels of its own cannot be switched: they are launched for each batch");
  static constexpr bool is_switched = true;
  using stage = S;
  struct ref {
    typename S::ref tables{};
    std::uint32_t is_on{};
  };

  static constexpr std::string_view name = S::name;
  static constexpr auto drop_names = S::drop_names;
  static constexpr table_care care = care_of<S>;
  static constexpr table_share share = share_of<S>;
  static constexpr bool reaches_payload = packetwarp::reaches_payload<S>;
  static constexpr bool follows_epochs = packetwarp::follows_epochs<S>;

  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view packet) requires has_stays_near<S> {
    return S::stays_near(packet);
  }
  [[nodiscard]] HOST_DEVICE static auto hold(ref const& tables) requires(holds_tables<S> && !follows_epochs) {
    using held = switched_parts::maybe<typename S::held>;
    return tables.is_on != 0 ? held{S::hold(tables.tables)} : held{};
  }
  [[nodiscard]] HOST_DEVICE static auto hold(ref const& tables, epoch_number epoch) requires holds_tables_by_epoch<S> {
    using held = switched_parts::maybe<typename S::held>;
    return tables.is_on != 0 ? held{S::hold(tables.tables, epoch)} : held{};
  }

  template <class... Found>
  requires has_ingress_by<S, Found...>
  [[nodiscard]] HOST_DEVICE static bool passes(packet_view packet, auto const& mine, Found const&... found) {
    return !is_on(mine) || S::passes(packet, tables_in(mine), found...);
  }
  // A packet may pass because the stage is off, so nothing follows from it.
  HOST_DEVICE static void assume_passes(packet_view) {}
  template <class... Found>
  requires has_ingress_by<S, Found...>
  [[nodiscard]] HOST_DEVICE static verdict ingress(packet_view packet, auto const& mine, Found const&... found) {
    return is_on(mine) ? S::ingress(packet, tables_in(mine), found...) : next_hook();
  }
  template <class Found>
  [[nodiscard]] HOST_DEVICE static bool asks_for_copy(auto const& mine, Found const& found) requires has_copies<S> {
    return is_on(mine) && S::asks_for_copy(tables_in(mine), found);
  }
  [[nodiscard]] HOST_DEVICE static bool has_egress(auto const& mine) requires packetwarp::has_egress<S> {
    return is_on(mine) && S::has_egress(tables_in(mine));
  }
  [[nodiscard]] HOST_DEVICE static verdict egress(packet_view packet, auto const& mine,
                                                  verdict said) requires packetwarp::has_egress<S> {
    return S::egress(packet, tables_in(mine), said);
  }

  template <class Ip, class... Found>
  requires has_pre_route<S, Ip, Found...>
  [[nodiscard]] HOST_DEVICE_COPIED static verdict pre_route(packet_view packet, Ip ip, route_state_of<Ip>& state,
                                                            passage_of<S>& mine, ref const& tables,
                                                            router_ref const& routes, Found const&... found) {
    return is_on(tables) ? S::pre_route(packet, ip, state, mine, tables.tables, routes, found...) : next_hook();
  }
  template <class Ip, class... Found>
  requires has_routed<S, Ip, Found...>
  [[nodiscard]] HOST_DEVICE_COPIED static verdict routed(packet_view packet, Ip ip, route_state_of<Ip>& state,
                                                         passage_of<S>& mine, ref const& tables,
                                                         router_ref const& routes, Found const&... found) {
    return is_on(tables) ? S::routed(packet, ip, state, mine, tables.tables, routes, found...) : next_hook();
  }
  template <class Ip, class... Found>
  requires has_post_route<S, Ip, Found...>
  [[nodiscard]] HOST_DEVICE_COPIED static verdict post_route(packet_view packet, Ip ip, route_state_of<Ip>& state,
                                                             passage_of<S>& mine, ref const& tables,
                                                             router_ref const& routes, Found const&... found) {
    return is_on(tables) ? S::post_route(packet, ip, state, mine, tables.tables, routes, found...) : next_hook();
  }
  // A stage that is off leaves all packets alone.
  template <class... Found>
  [[nodiscard]] HOST_DEVICE static bool passes_routes(packet_view packet, ref const& tables, Found const&... found) {
    if constexpr (has_passes_routes_by<S, Found...>) {
      return !is_on(tables) || S::passes_routes(packet, tables.tables, found...);
    } else {
      return !is_on(tables);
    }
  }

  // An empty outlook leads to the way of all packets.
  [[nodiscard]] static auto look_ahead(packet_view packet, ref const& tables,
                                       router_ref const& routes) requires has_short_way<S> {
    using outlook = typename S::outlook;
    return is_on(tables) ? S::look_ahead(packet, tables.tables, routes) : outlook{};
  }
  static void look_further(ref const& tables, router_ref const& routes, auto& seen) requires has_short_way<S> {
    if (is_on(tables)) S::look_further(tables.tables, routes, seen);
  }
  [[nodiscard]] static verdict go_short_way(packet_view packet, ref const& tables, router_ref const& routes,
                                            auto const& seen) requires has_short_way<S> {
    return is_on(tables) ? S::go_short_way(packet, tables.tables, routes, seen) : next_hook();
  }

  // A stage that is off translates nothing.
  HOST_DEVICE static void tell_destination(packet_view headers, feature::packet_facts& facts,
                                           ref const& tables) requires tells_destinations<S> {
    if (is_on(tables)) S::tell_destination(headers, facts, tables.tables);
  }
  template <tells_facts Tell = as_received>
  HOST_DEVICE static void gather(packet_view packet, unsigned n, auto const& mine, auto& shared,
                                 Tell const& tell = {}) requires has_joint_work<S> {
    if (n == 0) shared.is_on = is_on(mine) ? 1 : 0;
    if (is_on(mine)) gather_told<S>(packet, n, tables_in(mine), shared.value, tell);
  }
  [[nodiscard]] static bool foresees(auto const& mine) requires gathers_ahead<S> {
    return is_on(mine) && S::foresees(tables_in(mine));
  }
  template <tells_facts Tell = as_received>
  static void foresee(packet_view packet, auto const& mine, auto& seen,
                      Tell const& tell = {}) requires gathers_ahead<S> {
    if (is_on(mine)) foresee_told<S>(packet, tables_in(mine), seen, tell);
  }
  [[gnu::always_inline]] static void foresee_further(auto& seen, auto const& mine) requires gathers_ahead<S> {
    if (is_on(mine)) S::foresee_further(seen, tables_in(mine));
  }
  template <class Seen>
  static void gather(packet_view packet, unsigned n, auto const& mine, auto& shared,
                     Seen const& seen) requires(gathers_ahead<S> && !tells_facts<Seen>) {
    if (n == 0) shared.is_on = is_on(mine) ? 1 : 0;
    if (is_on(mine)) S::gather(packet, n, tables_in(mine), shared.value, seen);
  }
  HOST_DEVICE static void work(auto const& group, auto const& mine, auto& shared) requires has_joint_work<S> {
    static_assert(!packetwarp::goes_in_step<S>,
                  "groups go in step, and one for which S is off would not meet the others");
    if (is_on(mine)) S::work(group, tables_in(mine), shared.value);
  }
  [[nodiscard]] HOST_DEVICE static auto annotation_of(unsigned n, auto const& shared) requires has_joint_work<S> {
    using annotation = typename S::annotation;
    return shared.is_on != 0 ? S::annotation_of(n, shared.value) : annotation{};
  }

 private:
  [[nodiscard]] HOST_DEVICE static bool is_on(ref const& mine) { return mine.is_on != 0; }
  [[nodiscard]] HOST_DEVICE static typename S::ref const& tables_in(ref const& mine) { return mine.tables; }
  template <class Held>
  [[nodiscard]] HOST_DEVICE static bool is_on(switched_parts::maybe<Held> const& mine) {
    return mine.is_there();
  }
  template <class Held>
  [[nodiscard]] HOST_DEVICE static Held const& tables_in(switched_parts::maybe<Held> const& mine) {
    return mine.value();
  }
};

}  // namespace packetwarp
