// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "port/port.h"

namespace packetwarp {

// The driver's counts of each of a port's first RX queues, by the names that ethdev gives them (xstats).
[[nodiscard]] std::vector<std::optional<rx_queue_counts>> count_rx_queues(port_id port, std::uint16_t queues);

}  // namespace packetwarp
