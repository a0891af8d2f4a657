// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "doctor/machine/machine_reader.h"
#include "doctor/machine/pci_devices.h"

namespace packetwarp::doctor {

// The kernel's use of a NIC. The doctor gives no command that takes a NIC away from its users: the person who types it
// may be connected over it.
struct nic_use {
  enum class degree : std::uint8_t {
    none,  // its interfaces are down, or it has no driver
    up,    // an interface is up, belongs to another, or cannot be seen from here
    default_route
  };
  degree is{degree::none};
  std::string text{};  // "eth0 carries the default route"
};
// Throws failure.
[[nodiscard]] nic_use use_of(machine_reader const& files, pci_device const& nic);

}  // namespace packetwarp::doctor
