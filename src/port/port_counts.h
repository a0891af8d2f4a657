// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"

namespace packetwarp {

// The counts of one RX queue, if the driver has them. The driver's names are rx_qN_packets and rx_qN_errors.
struct rx_queue_counts {
  std::uint64_t packets{};
  std::uint64_t missed{};  // arrived for it and dropped by the device
};

// The counts of the port itself, since start.
struct port_counts {
  std::uint64_t rx_packets{}, tx_packets{}, rx_bytes{}, tx_bytes{};
  std::uint64_t missed{};                                   // imissed: the device had no free descriptor
  std::uint64_t rx_errors{};                                // ierrors
  std::uint64_t tx_errors{};                                // oerrors
  std::uint64_t no_mbuf{};                                  // rx_nombuf: the packet pool was dry
  std::vector<std::optional<rx_queue_counts>> rx_queues{};  // by queue; nothing if the driver does not tell
};

// A port's counts as its driver tells them now, with those of its first RX queues by the names that ethdev gives them
// (xstats); nothing if it tells none.
[[nodiscard]] std::optional<port_counts> read_counts(port_id port, std::uint16_t rx_queues);

// The sum of a port's counts before and after it was started again.
[[nodiscard]] port_counts sum_of(port_counts const& before, port_counts now);

}  // namespace packetwarp
