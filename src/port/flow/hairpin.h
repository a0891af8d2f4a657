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
// peer, inside the NIC. They are numbered after a port's other queues. The settings are testpmd's --hairpinq and
// --hairpin-mode.

// The port at the other end of a port's hairpin queues.
enum class hairpin_peers : std::uint8_t {
  self,  // 0x0
  loop,  // 0x1: the next port, and the first after the last
  pair   // 0x2: the first and the second, the third and the fourth; an odd last port is its own
};
// The part that changes packets on the TX side of a hairpin queue.
enum class hairpin_tx : std::uint8_t {
  by_driver,  // the driver splits rules into work before and after the queue
  by_rules    // 0x10: egress rules of the peer
};

struct hairpin_mode {
  hairpin_peers peers{hairpin_peers::pair};
  hairpin_tx tx{hairpin_tx::by_rules};
};
// The mode that testpmd's bits stand for; nothing for unknown bits.
[[nodiscard]] std::optional<hairpin_mode> hairpin_mode_of(std::uint64_t bits);

// For `ports` ports in their order: the port by which packets in the n-th port's hairpin queues leave, and the port
// whose packets leave by the n-th.
[[nodiscard]] std::size_t hairpin_next(hairpin_peers peers, std::size_t ports, std::size_t n);
[[nodiscard]] std::size_t hairpin_previous(hairpin_peers peers, std::size_t ports, std::size_t n);

// A port's hairpin queues.
struct hairpin_config {
  std::uint16_t queues{0};
  hairpin_mode mode;
  port_id next;          // the port with the hairpin TX queues that this port's RX queues lead to
  queue_id next_tx;      // the first of them
  port_id previous;      // the port with the hairpin RX queues that lead to this port's TX queues
  queue_id previous_rx;  // the first of them
};

// The abilities that a port lacks for this many hairpin queues beside its others; nothing if it lacks none.
[[nodiscard]] std::optional<std::string> hairpin_lack(port_facts const& facts, std::uint16_t queues);

// Sets up hairpin queues on a configured port whose other queues are set up. Throws failure.
void set_up_hairpin_queues(port_facts const& facts, hairpin_config const& config, queue_id first_rx, queue_id first_tx,
                           std::uint16_t rx_descriptors, std::uint16_t tx_descriptors);

// Keeps hairpin TX queues bound to the RX queues of their peers until it goes out of scope. The ports are started.
class hairpin_bindings {
 public:
  hairpin_bindings() = default;
  hairpin_bindings(hairpin_bindings const&) = delete;
  hairpin_bindings& operator=(hairpin_bindings const&) = delete;
  ~hairpin_bindings();
  // Throws failure.
  void bind(port_id tx, port_id rx);
  // The port is taken away: its driver ends its bindings when it stops.
  void forget(port_id gone);

 private:
  std::vector<std::pair<port_id, port_id>> bound_;
};

}  // namespace packetwarp
