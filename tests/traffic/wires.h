// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "port/port.h"
#include "port/ring_wire.h"

namespace packetwarp::test {

// A name that no wire of this process had before.
inline std::string fresh_name() {
  static unsigned made = 0;
  return fmt::format("t{}", made++);
}

inline ring_wire make_wire(std::uint16_t queues = 1, std::uint32_t depth = 1024) {
  return ring_wire{fresh_name(), queues, depth};
}

inline port start(port_id id, packet_pool const& pool, std::uint16_t queues = 1) {
  return {describe_port(id), {.rx_queues = queues, .tx_queues = queues}, pool};
}

}  // namespace packetwarp::test
