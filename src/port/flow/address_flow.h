// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.h"
#include "port/flow/port_flows.h"
#include "wire/address.h"

namespace packetwarp {

// Makes a port steer the packets to this address into an RX queue, by a flow rule of the port (rte_flow): `eth / ipv4
// dst is ADDRESS / queue index QUEUE`, and likewise for IPv6. number: of the rule, free in `flows`. Returns nothing if
// the port steers them from now on, else the driver's error.
[[nodiscard]] std::optional<std::string> steer_to_queue(port_flows& flows, std::uint32_t number,
                                                        wire::ipv4_address address, queue_id queue);
[[nodiscard]] std::optional<std::string> steer_to_queue(port_flows& flows, std::uint32_t number,
                                                        wire::ipv6_address address, queue_id queue);

}  // namespace packetwarp
