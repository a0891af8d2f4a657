// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "module/router/router_module.h"
#include "module/run_view.h"
#include "routing/lpm_ref.h"

namespace packetwarp {
namespace {

void add_table_rows(std::vector<memory_row>& to, router_table const& table, network_config const& config) {
  auto const is = table.occupied();
  auto const add = [&](std::string_view what, std::string of, std::string_view unit, router_table::usage const& usage,
                       std::uint64_t bytes) {
    auto const copies = needs_gpu(config.plane.executor) ? config.plane.gpu.indexes.size() : 0;
    to.push_back({.what = what,
                  .of = std::move(of),
                  .unit = unit,
                  .used = usage.used,
                  .room = usage.room,
                  .bytes = bytes,
                  .gpu_bytes = copies != 0 ? memory_row::amount{bytes * copies} : memory_row::amount{}});
  };
  // Prefixes share the room of groups; the root, which every table has, comes on top.
  auto const group = lpm_ref::group_size * sizeof(std::uint32_t);
  auto const root = lpm_ref::root_size * sizeof(std::uint32_t);
  to.push_back({.what = "routes", .of = "ipv4", .unit = "prefixes", .used = is.ipv4_routes});
  to.push_back({.what = "routes", .of = "ipv6", .unit = "prefixes", .used = is.ipv6_routes});
  add("route groups", "ipv4", "groups of 256", is.ipv4_groups, root + is.ipv4_groups.room * group);
  add("route groups", "ipv6", "groups of 256", is.ipv6_groups, root + is.ipv6_groups.room * group);
  add("next hops", "", "neighbours", is.next_hops, is.next_hops.room * sizeof(next_hop));
  // At most a quarter of a host table's slots is in use.
  add("hosts", "ipv4", "addresses", is.ipv4_hosts, is.ipv4_hosts.room * 4 * sizeof(std::uint64_t));
  add("hosts", "ipv6", "addresses", is.ipv6_hosts, is.ipv6_hosts.room * 4 * sizeof(ipv6_host));
}

void add_neighbour_rows(std::vector<memory_row>& to, run_view const& run) {
  auto const& interfaces = run.config().interfaces;
  for (std::size_t n = 0; n < interfaces.size(); ++n) {
    to.push_back({.what = "neighbours learnt",
                  .of = interfaces[n].name,
                  .unit = "neighbours",
                  .used = run.neighbours().known(interface_index{static_cast<std::uint16_t>(n)}),
                  .room = run.neighbours().room()});
  }
}

}  // namespace

// Empty for a network whose chain does not route.
memory_work router_module::memory(run_view const& run) {
  return [this, &run](std::vector<memory_row>& to) {
    if (!run.config().plane.function->has_stage(router::name)) return true;
    add_table_rows(to, table_, run.config());
    add_neighbour_rows(to, run);
    return true;
  };
}

}  // namespace packetwarp
