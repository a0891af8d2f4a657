// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "port/port_config.h"
#include "port/port_facts.h"
#include "port/rx_pools.h"

namespace packetwarp {

// Configures a port that is stopped, and sets up its queues. Throws failure with the driver's reason.
void configure_port(port_facts const& facts, port_config const& config, port_offloads const& offloads,
                    rx_pools const& pools);

}  // namespace packetwarp
