// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "fixtures/wire.h"

namespace packetwarp::test {

// A name that is new in this process.
inline std::string fresh_name() {
  static unsigned made = 0;
  return fmt::format("fresh{}", made++);
}

inline port start(port_id id, packet_pool const& pool, std::uint16_t queues = 1) {
  return {describe_port(id), {.rx_queues = queues, .tx_queues = queues}, pool};
}

}  // namespace packetwarp::test
