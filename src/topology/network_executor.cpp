// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "topology/network_executor.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"
#include "executor/make.h"
#include "function/nat44/nat44.h"
#include "function/nat44/nat44_table.h"
#include "function/router/router.h"
#include "function/router/router_table.h"
#include "function/ruled_nat44/ruled_nat44.h"
#include "function/ruled_router/ruled_router.h"
#include "function/rules/rules.h"
#include "function/rules/rules_table.h"

namespace packetwarp {
namespace {

// Where `none` sends everything.
constexpr egress_index first_egress{0};

template <class Table>
[[nodiscard]] Table& require(Table* table, function_kind what) {
  if (table == nullptr) throw failure(fmt::format("function {}: its tables are missing", to_string(what)));
  return *table;
}

[[nodiscard]] table_refs<router> router_refs(network_place const& place) {
  auto const& table = require(place.tables.router, function_kind::router);
  interface_index const ingress{place.ingress};
  return {table.cpu(ingress), table.gpu(ingress)};
}

[[nodiscard]] table_refs<nat44> nat44_refs(network_place const& place) {
  auto const& table = require(place.tables.nat44, function_kind::nat44);
  auto const routes = router_refs(place);
  return {{.routes = routes.cpu, .nat = table.cpu()}, {.routes = routes.gpu, .nat = table.gpu()}};
}

[[nodiscard]] table_refs<rules> rules_refs(network_place const& place) {
  std::vector<rules_egress> egresses;
  for (std::size_t i = 0; i < place.planned.egresses.size(); ++i) {
    egresses.push_back({place.planned.egresses[i].port, egress_index{static_cast<std::uint16_t>(i)}});
  }
  auto const from = place.planned.rx_port;
  return {require(place.tables.rules, function_kind::rules).ref(from, egresses),
          require(place.tables.rules_of_gpu, function_kind::rules).ref(from, egresses)};
}

template <class F, class Next>
[[nodiscard]] table_refs<F> ruled_refs(network_place const& place, table_refs<Next> const& next) {
  auto const rules_of = rules_refs(place);
  typename F::ref cpu{.rules = rules_of.cpu, .next = next.cpu};
  typename F::ref gpu{.rules = rules_of.gpu, .next = next.gpu};
  auto const& egresses = place.planned.egresses;
  for (std::size_t i = 0; i < std::size(cpu.port_of); ++i) {
    bool const is_known = i < egresses.size() && egresses[i].port.value() < max_rules_ports;
    cpu.port_of[i] = gpu.port_of[i] = is_known ? static_cast<std::uint8_t>(egresses[i].port.value()) : F::no_port;
  }
  return {cpu, gpu};
}

}  // namespace

std::unique_ptr<executor> make_network_executor(data_plane_config const& config, burst_ring& ring,
                                                gpu_settings const& gpu, network_place const& place) {
  auto const make = [&]<class F>(table_refs<F> const& tables) {
    return make_executor<F>(config.executor, ring, tables, first_egress, config.packet_time, gpu);
  };
  switch (config.function) {
    case function_kind::nat44:
      return make(nat44_refs(place));
    case function_kind::rules:
      return make(rules_refs(place));
    case function_kind::ruled_router:
      return make(ruled_refs<ruled_router>(place, router_refs(place)));
    case function_kind::ruled_nat44:
      return make(ruled_refs<ruled_nat44>(place, nat44_refs(place)));
    default:
      return make(router_refs(place));
  }
}

}  // namespace packetwarp
