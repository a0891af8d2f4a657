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

// Has a port put what is to this address into that RX queue, by a rule of its own (rte_flow): `eth / ipv4 dst is
// ADDRESS / queue index QUEUE`, of IPv6 the same. number: of the rule, free among these. Nothing when the port does so
// from now on, else what its driver says.
[[nodiscard]] std::optional<std::string> steer_to_queue(port_flows& flows, std::uint32_t number,
                                                        wire::ipv4_address address, queue_id queue);
[[nodiscard]] std::optional<std::string> steer_to_queue(port_flows& flows, std::uint32_t number,
                                                        wire::ipv6_address address, queue_id queue);

}  // namespace packetwarp
