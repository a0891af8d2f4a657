// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "memory/packet_pool.h"
#include "port/port.h"

namespace packetwarp {

// An RX queue of a port that is configured.
struct rx_queue_setup {
  std::uint16_t queue;
  std::uint16_t descriptors;
  packet_pool const& pool;      // of packets, or of their headers
  packet_pool const* payloads;  // null: a packet comes in one mbuf
  std::uint16_t first_bytes;    // of a packet with a payload: the header's mbuf has so many
};

// Throws failure with the driver's reason.
void set_up_rx_queue(port_facts const& facts, rx_queue_setup const& wanted);

}  // namespace packetwarp
