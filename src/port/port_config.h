// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "port/flow/hairpin.h"
#include "port/flow/port_flows.h"
#include "port/port_facts.h"

namespace packetwarp {

// Whether a port receives frames to other MAC addresses than its own.
enum class promiscuity : std::uint8_t { on, off };

// The packet pools of the packets that one TX queue sends, their segments included.
enum class sent_pools : std::uint8_t { one, several };

// How a port is set up.
struct port_config {
  std::uint16_t rx_queues{1};
  std::uint16_t tx_queues{1};
  std::uint16_t rx_descriptors{1024};
  std::uint16_t tx_descriptors{1024};
  std::uint16_t mtu{};       // 0: leave the port's own
  hairpin_config hairpin{};  // after the queues above
  port_isolation isolation{port_isolation::off};
  std::vector<queue_id> rss_queues{};  // that RSS spreads packets over; empty: all
  promiscuity promiscuous{promiscuity::on};
  sent_pools sends_of{sent_pools::several};
};

// How a user gives a port this number of queues, as a part of a sentence.
[[nodiscard]] std::string way_to_more_queues(port_facts const& facts, std::size_t wanted);

// Throws usage_error, which says what the port has, if it cannot be set up as config says.
void require_possible(port_facts const& facts, port_config const& config);

// The offloads that make any packet pass: scattered receive for frames longer than an mbuf, and multi-segment transmit;
// and fast free, by which a driver returns all packets of a queue to the pool of one of them: only if all packets come
// from one pool. Offloads that the port lacks are left out.
struct port_offloads {
  std::uint64_t rx{};
  std::uint64_t tx{};
};
[[nodiscard]] port_offloads choose_offloads(port_facts const& facts, sent_pools sends_of);

}  // namespace packetwarp
