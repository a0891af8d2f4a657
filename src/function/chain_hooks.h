// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/chain_parts.h"
#include "function/hook.h"
#include "function/route_hooks.h"

namespace packetwarp::chain_parts {

// For chains without a stage whose route hooks take an annotation.
struct no_annotation {};

// The stages' route hooks for one packet, with the passage that each stage hands from hook to hook. They are inlined: a
// call would hand the passages over in memory. Ref: the chain's. Found: the chain's annotation of the packet, or
// no_annotation.
template <class Ref, class Found, class... Stages>
class route_hooks {
  using route = last_of<Stages...>;

 public:
  HOST_DEVICE route_hooks(Ref const& all, Found const& of_packet) : tables{all}, found{of_packet} {}

  // Whether any hook sees packets with this IP header.
  template <class Ip>
  static constexpr bool meets = (has_route_hooks_for<Stages, Ip> || ...);

  template <class Ip>
  [[nodiscard]] HOST_DEVICE_COPIED verdict pre_route(packet_view view, Ip ip, route_state_of<Ip>& state) {
    auto said = next_hook();
    (void)((said = pre_route_of<Stages>(view, ip, state), said != next_hook()) || ...);
    return said;
  }
  template <class Ip>
  [[nodiscard]] HOST_DEVICE_COPIED verdict routed(packet_view view, Ip ip, route_state_of<Ip>& state) {
    auto said = next_hook();
    (void)((said = routed_of<Stages>(view, ip, state), said != next_hook()) || ...);
    return said;
  }
  template <class Ip>
  [[nodiscard]] HOST_DEVICE_COPIED verdict post_route(packet_view view, Ip ip, route_state_of<Ip>& state) {
    auto said = next_hook();
    (void)((said = post_route_of<Stages>(view, ip, state), said != next_hook()) || ...);
    return said;
  }

 private:
  struct passages : stage_passage<Stages>... {};

  template <class S>
  [[nodiscard]] HOST_DEVICE auto& passage() {
    return static_cast<stage_passage<S>&>(handed_on).value;
  }
  template <class S>
  [[nodiscard]] HOST_DEVICE typename S::ref const& tables_of() const {
    return tables.template of<S>();
  }
  [[nodiscard]] HOST_DEVICE typename route::ref const& routes() const { return tables.template of<route>(); }
  template <class S>
  [[nodiscard]] HOST_DEVICE static verdict as_chains_of(verdict said) {
    return as_chains<S, route, Stages...>(said);
  }

  template <class S, class Ip>
  [[nodiscard]] HOST_DEVICE_COPIED verdict pre_route_of(packet_view view, Ip ip, route_state_of<Ip>& state) {
    if constexpr (has_joint_pre_route<S, Ip>) {
      return as_chains_of<S>(
          S::pre_route(view, ip, state, passage<S>(), tables_of<S>(), routes(), found.template of<S>()));
    } else if constexpr (has_pre_route<S, Ip>) {
      return as_chains_of<S>(S::pre_route(view, ip, state, passage<S>(), tables_of<S>(), routes()));
    } else {
      return next_hook();
    }
  }
  template <class S, class Ip>
  [[nodiscard]] HOST_DEVICE_COPIED verdict routed_of(packet_view view, Ip ip, route_state_of<Ip>& state) {
    if constexpr (has_joint_routed<S, Ip>) {
      return as_chains_of<S>(
          S::routed(view, ip, state, passage<S>(), tables_of<S>(), routes(), found.template of<S>()));
    } else if constexpr (has_routed<S, Ip>) {
      return as_chains_of<S>(S::routed(view, ip, state, passage<S>(), tables_of<S>(), routes()));
    } else {
      return next_hook();
    }
  }
  template <class S, class Ip>
  [[nodiscard]] HOST_DEVICE_COPIED verdict post_route_of(packet_view view, Ip ip, route_state_of<Ip>& state) {
    if constexpr (has_joint_post_route<S, Ip>) {
      return as_chains_of<S>(
          S::post_route(view, ip, state, passage<S>(), tables_of<S>(), routes(), found.template of<S>()));
    } else if constexpr (has_post_route<S, Ip>) {
      return as_chains_of<S>(S::post_route(view, ip, state, passage<S>(), tables_of<S>(), routes()));
    } else {
      return next_hook();
    }
  }

  Ref const& tables;
  [[no_unique_address]] Found found;
  passages handed_on;
};

}  // namespace packetwarp::chain_parts
