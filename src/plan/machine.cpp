// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <rte_lcore.h>

#include <fstream>
#include <string>

#include "gpu/gpu.h"
#include "plan/plan.h"

namespace packetwarp {
namespace {

[[nodiscard]] cpu_list cpus_of(rte_cpuset_t const& set) {
  cpu_list cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

[[nodiscard]] lcore_facts describe_lcore(unsigned id) {
  return {.id = lcore_id{id},
          .cpus = to_text(cpus_of(rte_lcore_cpuset(id))),
          .socket = static_cast<int>(rte_lcore_to_socket_id(id))};
}

[[nodiscard]] std::vector<planned_gpu> gpus_here() {
  std::vector<planned_gpu> all;
  for (auto const& gpu : find_gpus()) {
    int node = -1;
    std::ifstream{"/sys/bus/pci/devices/" + gpu.pci_address + "/numa_node"} >> node;
    all.push_back({.index = gpu.index,
                   .name = gpu.name,
                   .pci_address = gpu.pci_address,
                   .socket = node,
                   .multiprocessors = gpu.multiprocessors,
                   .shared_bytes = gpu.shared_bytes});
  }
  return all;
}

}  // namespace

machine_facts read_machine(executor_kind for_executor) {
  machine_facts machine{.main = describe_lcore(rte_get_main_lcore()),
                        .others = {},
                        .ports = describe_all_ports(),
                        .cpus = read_cpu_topology(),
                        .gpus = needs_gpu(for_executor) ? gpus_here() : std::vector<planned_gpu>{}};
  constexpr int skip_main = 1, wrap = 0;
  for (auto id = rte_get_next_lcore(~0u, skip_main, wrap); id < RTE_MAX_LCORE;
       id = rte_get_next_lcore(id, skip_main, wrap)) {
    machine.others.push_back(describe_lcore(id));
  }
  return machine;
}

}  // namespace packetwarp
