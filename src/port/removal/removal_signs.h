// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_dev.h>
#include <rte_ethdev.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>

#include "port/port.h"

namespace packetwarp {

// Tells of ports whose devices are taken away, and of ports that their physical function has reset. Two events announce
// a removal: RTE_ETH_EVENT_INTR_RMV, which a few drivers raise for a port (mlx5, mlx4, net_failsafe), and
// RTE_DEV_EVENT_REMOVE for a device, which the EAL makes of vfio-pci's request to release the device. Both come in the
// EAL's interrupt thread, which must not release a device: their callbacks only set a word each.
class removal_signs {
 public:
  // The ports have been started. Throws failure.
  explicit removal_signs(std::deque<port> const& ports);
  removal_signs(removal_signs const&) = delete;
  removal_signs& operator=(removal_signs const&) = delete;
  // Waits for an event that is being delivered.
  ~removal_signs();

  // Whether the device of the n-th port is taken away. Any thread.
  [[nodiscard]] bool is_asked_back(std::size_t n) const { return watched_[n].asked.load(std::memory_order_acquire); }
  // Whether the n-th port has been reset by its physical function since the last call (RTE_ETH_EVENT_INTR_RESET). Any
  // thread.
  [[nodiscard]] bool take_reset(std::size_t n) { return watched_[n].reset.exchange(false, std::memory_order_relaxed); }

 private:
  struct watched {
    watched(port_id port, std::string its_device) : id{port}, device{std::move(its_device)} {}
    port_id id;
    std::string device;
    std::atomic<bool> asked{false};
    std::atomic<bool> reset{false};
  };
  static int on_port_event(std::uint16_t port, rte_eth_event_type what, void* self, void* details);
  static void on_device_event(char const* device, rte_dev_event_type what, void* self);
  void end_port_events();
  // Sets the sign of all ports of a device: they go together.
  void set(std::string const& device);

  std::deque<watched> watched_;
};

}  // namespace packetwarp
