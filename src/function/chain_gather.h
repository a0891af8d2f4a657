// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "feature/packet_facts.h"
#include "function/function.h"
#include "function/told_facts.h"

// A stage's part of a chain's joint work. all, shared, found: the chain's held tables, room and annotation.
namespace packetwarp::chain_parts {

// Asks each stage that translates destinations (told_facts.h).
template <class Tables, class... Stages>
struct teller {
  Tables const& tables;

  HOST_DEVICE void operator()([[maybe_unused]] packet_view headers,
                              [[maybe_unused]] feature::packet_facts& facts) const {
    (ask<Stages>(headers, facts), ...);
  }

 private:
  template <class S>
  HOST_DEVICE void ask([[maybe_unused]] packet_view headers, [[maybe_unused]] feature::packet_facts& facts) const {
    if constexpr (tells_destinations<S>) S::tell_destination(headers, facts, tables.template of<S>());
  }
};

template <class S>
HOST_DEVICE void gather_for(packet_view view, unsigned n, auto const& all, auto& shared, auto const& tell) {
  if constexpr (has_joint_work<S>) {
    gather_told<S>(view, n, all.template of<S>(), shared.template of<S>(), tell);
  }
}
template <class S>
HOST_DEVICE_COPIED void work_for(auto const& group, auto const& all, auto& shared) {
  if constexpr (has_joint_work<S>) S::work(group, all.template of<S>(), shared.template of<S>());
}
template <class S>
HOST_DEVICE void read_annotation_of(unsigned n, auto const& shared, auto& found) {
  if constexpr (has_joint_work<S>) found.template of<S>() = S::annotation_of(n, shared.template of<S>());
}

// The steps by which a CPU fetches memory before a group's packets are gathered (gathers_ahead). A stage without these
// steps is left out, or gathers as on a GPU. seen: the chain's foresight. Host code.
template <class S>
struct stage_foresight {};
template <gathers_ahead S>
struct stage_foresight<S> {
  typename S::foresight value;
};

template <class S>
[[nodiscard]] bool foresees(auto const& all) {
  if constexpr (gathers_ahead<S>) return S::foresees(all.template of<S>());
  return false;
}
template <class S>
void foresee_for(packet_view view, auto const& all, auto& seen, auto const& tell) {
  if constexpr (gathers_ahead<S>) foresee_told<S>(view, all.template of<S>(), seen.template of<S>(), tell);
}
template <class S>
[[gnu::always_inline]] inline void foresee_further_for(auto& seen, auto const& all) {
  if constexpr (gathers_ahead<S>) S::foresee_further(seen.template of<S>(), all.template of<S>());
}
template <class S>
void gather_ahead_for(packet_view view, unsigned n, auto const& all, auto& shared, auto const& seen, auto const& tell) {
  if constexpr (gathers_ahead<S>) {
    S::gather(view, n, all.template of<S>(), shared.template of<S>(), seen.template of<S>());
  } else {
    gather_for<S>(view, n, all, shared, tell);
  }
}

}  // namespace packetwarp::chain_parts
