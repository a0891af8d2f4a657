// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/ids.h"
#include "egress/departure_hooks.h"
#include "function/rules/rules_layout.h"

namespace packetwarp {

class rules_table;

// The egress rules of ports, for packets that leave without having passed a pipeline's function.
class departure_rules final : public departure_hooks {
 public:
  // ports: the plan's, in its order. The table is the one that the CPU reads, and outlives this.
  departure_rules(std::vector<port_id> ports, rules_table const& table);

  [[nodiscard]] bool let_leave(rte_mbuf& packet, std::size_t port) const override;

 private:
  std::vector<port_id> ports_;
  rules_ref rules_{};
};

}  // namespace packetwarp
