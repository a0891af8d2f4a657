// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_ethdev.h>

#include <cstdint>
#include <span>

#include "base/ids.h"
#include "base/thread/thread_sanitizer.h"
#include "port/interrupt_gate.h"
#include "port/link_gate.h"

namespace packetwarp {

// A queue of a started port. A value; one thread at a time may use it.
class rx_queue {
 public:
  // The pass is for a queue of a port with an interrupt_gate.
  rx_queue(port_id port, queue_id queue, queue_pass* pass = nullptr)
      : port_{port.value()}, queue_{queue.value()}, pass_{pass} {}
  // Fills the front of `room` with received packets, which the caller then owns; returns how many.
  [[nodiscard]] std::uint16_t receive(std::span<rte_mbuf*> room) const {
    if (pass_ != nullptr && !pass_->enter()) return 0;
    auto const n = rte_eth_rx_burst(port_, queue_, room.data(), static_cast<std::uint16_t>(room.size()));
    if (pass_ != nullptr) pass_->leave();
    take_over(room.first(n));
    return n;
  }
  [[nodiscard]] port_id port() const { return port_id{port_}; }

 private:
  std::uint16_t port_;
  std::uint16_t queue_;
  queue_pass* pass_;
};

class tx_queue {
 public:
  // The pass is for a queue of a port with an interrupt_gate, the link for one of a port with a link_gate.
  tx_queue(port_id port, queue_id queue, queue_pass* pass = nullptr, link_gate const* link = nullptr)
      : port_{port.value()}, queue_{queue.value()}, pass_{pass}, link_{link} {}
  // Hands the packets to the port, in order; returns how many it took. The caller still owns the rest.
  [[nodiscard]] std::uint16_t send(std::span<rte_mbuf*> packets) const {
    if (link_ != nullptr && link_->is_shut()) return 0;
    hand_over(packets);
    if (pass_ != nullptr && !pass_->enter()) return 0;
    auto const n = rte_eth_tx_burst(port_, queue_, packets.data(), static_cast<std::uint16_t>(packets.size()));
    if (pass_ != nullptr) pass_->leave();
    return n;
  }
  [[nodiscard]] port_id port() const { return port_id{port_}; }
  // The driver must not be called now (interrupt_gate.h): send() takes nothing, however much room the port has.
  [[nodiscard]] bool is_shut() const { return pass_ != nullptr && pass_->is_shut(); }

 private:
  std::uint16_t port_;
  std::uint16_t queue_;
  queue_pass* pass_;
  link_gate const* link_;
};

}  // namespace packetwarp
