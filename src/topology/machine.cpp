// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <rte_lcore.h>

#include <string>

#include "topology/plan.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::string cpu_list(rte_cpuset_t const& cpus) {
  std::string list;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &cpus)) continue;
    if (!list.empty()) list += ',';
    auto last = cpu;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &cpus)) ++last;
    list += last == cpu ? std::to_string(cpu) : std::to_string(cpu) + '-' + std::to_string(last);
    cpu = last;
  }
  return list;
}

[[nodiscard]] lcore_facts describe_lcore(unsigned id) {
  auto const cpus = rte_lcore_cpuset(id);
  return {.id = lcore_id{id}, .cpus = cpu_list(cpus), .socket = static_cast<int>(rte_lcore_to_socket_id(id))};
}

}  // namespace

machine_facts read_machine() {
  machine_facts machine{.main = describe_lcore(rte_get_main_lcore()), .others = {}, .ports = describe_all_ports()};
  constexpr int skip_main = 1, wrap = 0;
  for (auto id = rte_get_next_lcore(~0u, skip_main, wrap); id < RTE_MAX_LCORE;
       id = rte_get_next_lcore(id, skip_main, wrap)) {
    machine.others.push_back(describe_lcore(id));
  }
  return machine;
}

}  // namespace packetwarp
