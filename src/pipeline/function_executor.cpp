// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "pipeline/function_executor.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/error.h"
#include "executor/make.h"
#include "function/compiled.h"
#include "function/nat44/nat44_table.h"
#include "function/router/router_table.h"
#include "function/rules/rules_table.h"

namespace packetwarp {
namespace {

// The egress of `none`, and of packets that only go to their port's peer.
constexpr egress_index only_egress{0};

template <class Table>
[[nodiscard]] Table& require(Table* table, std::string_view stage) {
  if (table == nullptr) throw failure(fmt::format("function {}: its tables are missing", stage));
  return *table;
}

// The tables of stage S at a place.
template <class S>
[[nodiscard]] table_refs<S> refs_of(function_place const& place);

template <>
[[nodiscard]] table_refs<router> refs_of<router>(function_place const& place) {
  auto const& table = require(place.tables.router, router::name);
  interface_index const ingress{place.ingress};
  return {table.cpu(ingress), table.gpu(ingress)};
}

template <>
[[nodiscard]] table_refs<nat44> refs_of<nat44>(function_place const& place) {
  auto const& table = require(place.tables.nat44, nat44::name);
  return {table.cpu(), table.gpu()};
}

template <>
[[nodiscard]] table_refs<rules> refs_of<rules>(function_place const& place) {
  std::vector<rules_egress> egresses;
  for (std::size_t i = 0; i < place.planned.egresses.size(); ++i) {
    egresses.push_back({place.planned.egresses[i].port, egress_index{static_cast<std::uint16_t>(i)}});
  }
  auto const from = place.planned.rx_port;
  return {require(place.tables.rules, rules::name).ref(from, egresses),
          require(place.tables.rules_of_gpu, rules::name).ref(from, egresses)};
}

template <>
[[nodiscard]] table_refs<forward> refs_of<forward>(function_place const&) {
  return {{only_egress}, {only_egress}};
}

template <>
[[nodiscard]] table_refs<swap_payload> refs_of<swap_payload>(function_place const&) {
  return {{only_egress}, {only_egress}};
}

// The tables of a function alone, or of a chain's stages.
template <class F>
struct tables_of {
  [[nodiscard]] static table_refs<F> at(function_place const& place) { return refs_of<F>(place); }
};
template <class... Stages>
struct tables_of<chain<Stages...>> {
  [[nodiscard]] static table_refs<chain<Stages...>> at(function_place const& place) {
    return {{{refs_of<Stages>(place).cpu}...}, {{refs_of<Stages>(place).gpu}...}};
  }
};

// The executor of that of these functions which the configuration names.
template <class... Functions, class Make>
[[nodiscard]] std::unique_ptr<executor> make_one_of(function_list<Functions...>, function_facts const* which,
                                                    Make const& make) {
  std::unique_ptr<executor> made;
  (void)((which == &facts_of<Functions> ? (made = make.template operator()<Functions>(), true) : false) || ...);
  if (!made) throw failure(fmt::format("function {}: it is not compiled for executors", which->name));
  return made;
}

}  // namespace

std::unique_ptr<executor> make_function_executor(data_plane_config const& config, burst_ring& ring,
                                                 gpu_settings const& gpu, function_place const& place) {
  return make_one_of(compiled_functions{}, config.function, [&]<class F>() {
    return make_executor<F>(config.executor, ring, tables_of<F>::at(place), only_egress, config.packet_time, gpu);
  });
}

}  // namespace packetwarp
