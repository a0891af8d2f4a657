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

// Tells of ports whose devices are taken away, and of ports that their physical function has reset. For the first, two
// events say so: RTE_ETH_EVENT_INTR_RMV, which a few drivers raise of a port (mlx5, mlx4, net_failsafe), and
// RTE_DEV_EVENT_REMOVE of a device, which the EAL makes of vfio-pci's request to let the device go. Both come in the
// EAL's interrupt thread, where no device may be given back: here they only set a word each.
class removal_signs {
 public:
  // The ports have been started. Throws failure.
  explicit removal_signs(std::deque<port> const& ports);
  removal_signs(removal_signs const&) = delete;
  removal_signs& operator=(removal_signs const&) = delete;
  // Waits for an event that is being told of.
  ~removal_signs();

  // Whether the device of the n-th port is taken away. Any thread.
  [[nodiscard]] bool is_asked_back(std::size_t n) const { return watched_[n].asked.load(std::memory_order_acquire); }
  // Whether the n-th port has been reset by its physical function since this was asked last (RTE_ETH_EVENT_INTR_RESET).
  // Any thread.
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
  // A device's ports go together.
  void set(std::string const& device);

  std::deque<watched> watched_;
};

}  // namespace packetwarp
