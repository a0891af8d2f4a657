// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/rights.h"

#include <rte_eal.h>

namespace packetwarp {

using enum capability;

capability_set rights_of(plan const& made) {
  capability_set all;
  for (auto const& port : made.ports) all.add(port.facts.traits().rights);
  if (!made.twins.empty()) all.add(net_admin);
  if (needs_gpu(made.config.executor)) all.add(ipc_lock);
  // The kernel tells physical addresses of pages only with CAP_SYS_ADMIN, and the EAL asks for every page that it
  // takes.
  if (rte_eal_iova_mode() == RTE_IOVA_PA && rte_eal_has_hugepages() != 0) all.add(sys_admin);
  return all;
}

}  // namespace packetwarp
