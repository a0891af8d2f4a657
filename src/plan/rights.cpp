// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/rights.h"

#include <rte_eal.h>

#include <algorithm>
#include <array>
#include <utility>

namespace packetwarp {
namespace {

using enum capability;

constexpr std::array<std::pair<std::string_view, capability_set>, 8> virtual_drivers{{
    {"net_null", {}},
    {"net_ring", {}},
    {"net_pcap", {}},
    {"net_memif", {}},
    {"net_tap", {net_admin}},
    {"net_virtio_user", {net_admin}},
    // Its rings are locked in memory.
    {"net_af_packet", {net_admin, net_raw, ipc_lock}},
    // It removes its program from the interface at the end, and finds it by a number, which the kernel gives only with
    // CAP_SYS_ADMIN.
    {"net_af_xdp", {net_admin, net_raw, ipc_lock, bpf, sys_admin}},
}};

}  // namespace

capability_set rights_of_driver(std::string_view driver) {
  auto const known = std::find_if(virtual_drivers.begin(), virtual_drivers.end(),
                                  [&](auto const& one) { return one.first == driver; });
  if (known != virtual_drivers.end()) return known->second;
  // For hardware: registers, memory that devices access, flows and raw queues.
  return {net_admin, net_raw, ipc_lock, sys_rawio};
}

capability_set rights_of(plan const& made) {
  capability_set all;
  for (auto const& port : made.ports) all.add(rights_of_driver(port.facts.driver));
  if (!made.twins.empty()) all.add(net_admin);
  if (needs_gpu(made.config.executor)) all.add(ipc_lock);
  // The kernel tells physical addresses of pages only with CAP_SYS_ADMIN, and the EAL asks for every page that it
  // takes.
  if (rte_eal_iova_mode() == RTE_IOVA_PA && rte_eal_has_hugepages() != 0) all.add(sys_admin);
  return all;
}

}  // namespace packetwarp
