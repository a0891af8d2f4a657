// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace packetwarp {

struct port_facts;

// Hairpin queues: packets that a NIC's flow rules put into a port's hairpin RX queue leave by a hairpin TX queue of its
// peer, inside the NIC. They are numbered after a port's other queues. As testpmd's --hairpinq and --hairpin-mode.

// Which port is beyond another's hairpin queues.
enum class hairpin_peers : std::uint8_t {
  self,  // 0x0
  loop,  // 0x1: the next port, and the first after the last
  pair   // 0x2: the first and the second, the third and the fourth; an odd last port is its own
};
// The part that changes packets where they leave.
enum class hairpin_tx : std::uint8_t {
  by_driver,  // it takes rules apart into work before and after the queue
  by_rules    // 0x10: egress rules of the peer
};

struct hairpin_mode {
  hairpin_peers peers{hairpin_peers::pair};
  hairpin_tx tx{hairpin_tx::by_rules};
};
// Nothing for bits that mean nothing.
[[nodiscard]] std::optional<hairpin_mode> hairpin_mode_of(std::uint64_t bits);

// For `ports` ports in their order: the one that packets in the n-th's hairpin queues leave by; and whose leave by it.
[[nodiscard]] std::size_t hairpin_next(hairpin_peers peers, std::size_t ports, std::size_t n);
[[nodiscard]] std::size_t hairpin_previous(hairpin_peers peers, std::size_t ports, std::size_t n);

// A port's hairpin queues.
struct hairpin_config {
  std::uint16_t queues{0};
  hairpin_mode mode;
  port_id next;          // whose hairpin TX queues are beyond this port's RX queues
  queue_id next_tx;      // the first of them
  port_id previous;      // whose hairpin RX queues this port's TX queues are beyond
  queue_id previous_rx;  // the first of them
};

// The lacks of a port for this many hairpin queues beside its others; nothing if it has them.
[[nodiscard]] std::optional<std::string> hairpin_lack(port_facts const& facts, std::uint16_t queues);

// Sets them up on a configured port whose other queues are set up. Throws failure.
void set_up_hairpin_queues(port_facts const& facts, hairpin_config const& config, queue_id first_rx, queue_id first_tx,
                           std::uint16_t rx_descriptors, std::uint16_t tx_descriptors);

// Hairpin TX queues bound to the RX queues of their peers, until it goes out of scope. The ports are started.
class hairpin_bindings {
 public:
  hairpin_bindings() = default;
  hairpin_bindings(hairpin_bindings const&) = delete;
  hairpin_bindings& operator=(hairpin_bindings const&) = delete;
  ~hairpin_bindings();
  // Throws failure.
  void bind(port_id tx, port_id rx);
  // A port is taken away: its driver ends its bindings as it stops.
  void forget(port_id gone);

 private:
  std::vector<std::pair<port_id, port_id>> bound_;
};

}  // namespace packetwarp
