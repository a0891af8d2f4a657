// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plan/plan.h"

namespace packetwarp::test {

// A machine on paper: lcores 0 to lcores - 1, each on the CPU of its number, and ports of up to 16 queues.
[[nodiscard]] inline machine_facts machine_with(unsigned lcores, unsigned ports) {
  auto const lcore = [](unsigned n) { return lcore_facts{.id = lcore_id{n}, .cpus = std::to_string(n), .socket = 0}; };
  machine_facts made{.main = lcore(0), .others = {}, .ports = {}};
  for (unsigned n = 1; n < lcores; ++n) made.others.push_back(lcore(n));
  for (unsigned n = 0; n < ports; ++n) {
    port_facts port;
    port.id = port_id{static_cast<std::uint16_t>(n)};
    port.name = "net_null" + std::to_string(n);
    port.driver = "net_null";
    port.socket = 0;
    port.max_rx_queues = port.max_tx_queues = 16;
    port.default_mtu = 1500;
    port.max_mtu = 9000;
    made.ports.push_back(port);
  }
  return made;
}

}  // namespace packetwarp::test
