// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "executor/make.h"
#include "function/chain.h"
#include "memory/table_memory.h"
#include "parity/packet_bed.h"

// The parity suite's view of a function. A new function or stage brings a header in tests/parity/oracle with its
// suite_tables, and with its oracle if no other test judges its work; the suite finds the header, and tests every
// compiled function and chain.
namespace packetwarp::test {

// Whether a stage's tables are for a function of its own, or for a chain.
enum class company : std::uint8_t { alone, in_chain };

// The tables that S, a function or a stage, runs with: the same content where the CPU and where an executor reads it.
// Made once per process and left to it: a GPU's runtime may end before statics do.
template <class S>
struct suite_tables;
// A stage without data needs no word.
template <class S>
requires std::is_empty_v<typename S::ref>
struct suite_tables<S> {
  [[nodiscard]] static table_refs<S> in(table_place, company) { return {}; }
};
template <class... Stages>
struct suite_tables<chain<Stages...>> {
  [[nodiscard]] static table_refs<chain<Stages...>> in(table_place place, company) {
    return {{{suite_tables<Stages>::in(place, company::in_chain).cpu}...},
            {{suite_tables<Stages>::in(place, company::in_chain).gpu}...}};
  }
};

// F's own work on a packet by itself: a group of one, if it works on packets together. far: the packet where it lies;
// near: the packet that F decides on, which may be a copy of its first bytes.
template <packet_function F>
[[nodiscard]] verdict process_by_itself(packet_view far, packet_view near, typename F::ref const& tables,
                                        epoch_number epoch) {
  typename taken_for_burst<F>::type const in_force = taken_for_burst<F>::of(tables, {.epoch = epoch});
  if constexpr (works_jointly<F>) {
    alignas(64) typename F::room room;
    F::gather(reaches_payload<F> ? far : near, 0, in_force, room);
    F::work(lone_lane{1}, in_force, room);
    return F::process(near, in_force, F::annotation_of(0, room));
  } else {
    return F::process(near, in_force);
  }
}
template <packet_function F>
[[nodiscard]] verdict process_by_itself(packet_view view, typename F::ref const& tables, epoch_number epoch) {
  return process_by_itself<F>(view, view, tables, epoch);
}

// The expected work of F on a packet. Other tests judge the work of most functions (tests/function, tests/module); for
// these the suite checks that every executor agrees with the CPU. Specialised for functions with a definition of their
// own.
template <packet_function F>
struct oracle {
  [[nodiscard]] static table_refs<F> tables_in(table_place place) { return suite_tables<F>::in(place, company::alone); }
  static verdict process(oracle_packet packet) {
    packet_view view{packet.first.data(), static_cast<std::uint32_t>(packet.first.size()), packet.length};
    if constexpr (reaches_payload<F>) {
      view.rest = packet.second.data();
      view.rest_contiguous = static_cast<std::uint32_t>(packet.second.size());
    }
    return process_by_itself<F>(view, tables_in({}).cpu, packet.epoch);
  }
};

// Whether S pushes tags, for which a packet in GPU memory has no room in front.
template <class S>
inline constexpr bool pushes_tags = false;
template <class... Stages>
inline constexpr bool pushes_tags<chain<Stages...>> = (pushes_tags<Stages> || ...);

}  // namespace packetwarp::test
