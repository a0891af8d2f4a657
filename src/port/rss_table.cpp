// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/rss_table.h"

#include <rte_ethdev.h>

#include <vector>

namespace packetwarp {

int spread_over(port_id port, std::uint16_t entries, std::span<queue_id const> queues) {
  constexpr unsigned in_group = RTE_ETH_RETA_GROUP_SIZE;
  std::vector<rte_eth_rss_reta_entry64> groups((entries + in_group - 1) / in_group);
  for (unsigned n = 0; n < entries; ++n) {
    auto& group = groups[n / in_group];
    group.mask |= std::uint64_t{1} << (n % in_group);
    group.reta[n % in_group] = queues[n % queues.size()].value();
  }
  return rte_eth_dev_rss_reta_update(port.value(), groups.data(), entries);
}

}  // namespace packetwarp
