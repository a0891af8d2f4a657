// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "pipeline/function_executor.h"

#include <fmt/format.h>

#include "base/error.h"
#include "executor/make.h"
#include "function/compiled.h"
#include "function/general.h"

namespace packetwarp {
namespace {

// The egress of `none`, and of packets that only go to their port's peer.
constexpr egress_index only_egress{0};

struct tables_there {
  function_facts const& function;
  stage_place const& place;
  function_tables const& tables;
};

template <class S>
concept has_switch = chain_parts::is_switched<S>;
// Its ref is the egress that its packets leave by (function/function.h).
template <class S>
concept is_without_tables = has_no_tables<S>;

// The refs of stage S.
template <class S>
[[nodiscard]] table_refs<S> refs_of(tables_there const& there) {
  for (auto const* const one : there.tables.stages) {
    if (one->stage() == S::name) return static_cast<tables_of_stage<S> const&>(*one).refs_at(there.place);
  }
  throw failure(fmt::format("function {}: its tables are missing", S::name));
}
template <is_without_tables S>
[[nodiscard]] table_refs<S> refs_of(tables_there const&) {
  return {{only_egress}, {only_egress}};
}
// A switched stage that the function does not have is off, and has no tables.
template <has_switch S>
[[nodiscard]] table_refs<S> refs_of(tables_there const& there) {
  if (!there.function.has_stage(S::name)) return {};
  auto const refs = refs_of<typename S::stage>(there);
  return {{refs.cpu, 1}, {refs.gpu, 1}};
}

// The tables of a function alone, or of a chain's stages.
template <class F>
struct tables_of {
  [[nodiscard]] static table_refs<F> at(tables_there const& there) { return refs_of<F>(there); }
};
template <class... Stages>
struct tables_of<chain<Stages...>> {
  [[nodiscard]] static table_refs<chain<Stages...>> at(tables_there const& there) {
    return {{{refs_of<Stages>(there).cpu}...}, {{refs_of<Stages>(there).gpu}...}};
  }
};

// The executor of the configured function, which is one of Functions.
template <class... Functions, class Make>
[[nodiscard]] std::unique_ptr<executor> make_one_of(function_list<Functions...>, function_facts const* which,
                                                    Make const& make) {
  std::unique_ptr<executor> made;
  (void)((are_facts_of<Functions>(*which) ? (made = make.template operator()<Functions>(), true) : false) || ...);
  if (!made) throw failure(fmt::format("function {}: it is not compiled for executors", which->name));
  return made;
}

}  // namespace

std::unique_ptr<executor> make_function_executor(data_plane_config const& config, burst_ring& ring,
                                                 gpu_settings const& gpu, stage_place const& place,
                                                 function_tables const& tables) {
  return make_one_of(compiled_functions{}, config.function, [&]<class F>() {
    return make_executor<F>(config.executor, ring, tables_of<F>::at({*config.function, place, tables}), only_egress,
                            config.packet_time, gpu);
  });
}

}  // namespace packetwarp
