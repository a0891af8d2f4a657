// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_config.h>

#include <cstdint>
#include <string>

#include "base/ids.h"

namespace packetwarp {

// An in-process wire: two ports whose queues are joined by rings, so that packets sent on queue n of one end are
// received on queue n of the other. A packet crosses as a pointer, without a copy. The ports live until the process
// ends (DPDK cannot remove a running ring port), so make wires before a data plane and not in a loop.
class ring_wire {
 public:
  static constexpr std::uint16_t most_queues = RTE_PMD_RING_MAX_RX_RINGS;
  static_assert(RTE_PMD_RING_MAX_TX_RINGS == RTE_PMD_RING_MAX_RX_RINGS);

  // depth: packets per direction of each queue. Throws failure.
  ring_wire(std::string const& name, std::uint16_t queues, std::uint32_t depth);
  [[nodiscard]] port_id left() const { return left_; }
  [[nodiscard]] port_id right() const { return right_; }

 private:
  port_id left_;
  port_id right_;
};

}  // namespace packetwarp
