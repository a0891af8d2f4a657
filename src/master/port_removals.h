// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cycles.h"
#include "master/driver_call.h"
#include "port/port.h"
#include "port/removal/removal_signs.h"
#include "worker/worker_messages.h"
#include "worker/workforce.h"

namespace packetwarp {

// Gives back devices that are removed while a data plane runs, and never waits:
//   here -> leaving -> draining -> closing -> gone
//   leaving:   each worker is told by a message, and its jobs stop using the device's ports;
//   draining:  bursts with packets from these ports end, also those that a GPU has, for drain_time at most;
//   closing:   a thread beside the workers closes the ports and has the EAL release the device, one device after the
//              other: the EAL's lists of devices and ports are not made for two threads.
// For the master.
class port_removals {
 public:
  // Data planes end bursts in microseconds, GPUs in milliseconds; a burst that hangs keeps no device.
  static constexpr std::chrono::milliseconds drain_time{500};

  struct hooks {
    // The master itself stops using the port: no worker uses it any more.
    std::function<void(port_id)> leave;
    // Whether no pipeline holds a packet that came by the port.
    std::function<bool(port_id)> has_drained;
    // Whether no other thread calls drivers.
    std::function<bool()> may_call;
  };
  // All arguments outlive the object. Throws failure.
  port_removals(std::deque<port>& ports, workforce& workers, removal_signs const& signs, hooks on);

  // Called in the master's loop iterations. Throws failure if no thread can be made.
  void look(cycles now);
  // Whether a thread calls a driver.
  [[nodiscard]] bool is_calling() const { return closer_.has_value(); }

 private:
  enum class stage : std::uint8_t { here, leaving, draining, closing, gone };
  struct device {
    std::string name;
    std::vector<std::size_t> ports;  // positions of the ports
    stage at{stage::here};
    cycles since{0};  // the beginning of its removal
    cycles drains_until{0};
    std::optional<broadcast> told{};
  };
  [[nodiscard]] bool is_asked_back(device const& d) const;
  void begin(device& d, cycles now);
  [[nodiscard]] bool has_drained(device const& d, cycles now) const;
  void close(device& d);
  void end(device& d, cycles now);

  std::deque<port>& ports_;
  workforce& workers_;
  removal_signs const& signs_;
  hooks on_;
  std::deque<device> devices_;
  std::optional<driver_call> closer_;  // while a device is closing
};

}  // namespace packetwarp
