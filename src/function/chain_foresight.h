// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "burst/packet_view.h"
#include "function/function.h"

// A stage's part of the steps by which a CPU fetches memory before a group's packets are gathered (gathers_ahead). A
// stage without these steps is left out, or gathers as on a GPU. Host code.
namespace packetwarp::chain_parts {

template <class S>
struct stage_foresight {};
template <gathers_ahead S>
struct stage_foresight<S> {
  typename S::foresight value;
};

// all, shared, seen: the chain's held tables, room and foresight.
template <class S>
[[nodiscard]] bool foresees(auto const& all) {
  if constexpr (gathers_ahead<S>) return S::foresees(all.template of<S>());
  return false;
}
template <class S>
void foresee_for(packet_view view, auto const& all, auto& seen) {
  if constexpr (gathers_ahead<S>) S::foresee(view, all.template of<S>(), seen.template of<S>());
}
template <class S>
[[gnu::always_inline]] inline void foresee_further_for(auto& seen, auto const& all) {
  if constexpr (gathers_ahead<S>) S::foresee_further(seen.template of<S>(), all.template of<S>());
}
template <class S>
void gather_ahead_for(packet_view view, unsigned n, auto const& all, auto& shared, auto const& seen) {
  if constexpr (gathers_ahead<S>) {
    S::gather(view, n, all.template of<S>(), shared.template of<S>(), seen.template of<S>());
  } else if constexpr (has_joint_work<S>) {
    S::gather(view, n, all.template of<S>(), shared.template of<S>());
  }
}

}  // namespace packetwarp::chain_parts
