// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/container.h"

namespace packetwarp {

// An address in the kernel's form: "0000:b5:00.0" for "b5:00.0" or "0000:B5:00.0"; nothing for a text that is no
// address on PCI. Pure.
[[nodiscard]] std::optional<std::string> pci_address(std::string_view text);

// Addresses of the devices that -a names among EAL words, in the order in which they are named. Pure.
[[nodiscard]] std::vector<std::string> requested_pci(std::span<std::string const> words);

// The kernel's folders of PCI devices and of VFIO's groups, and the place that a remedy is for.
struct pci_place {
  std::filesystem::path devices{"/sys/bus/pci/devices"};
  std::filesystem::path groups{"/dev/vfio"};
  surroundings where{surroundings::machine};
};

// The reason why a device that the EAL was asked for is no port, and the remedy, in words that follow its address.
// Nothing for a device that is no NIC. Opens the device's VFIO group, and closes it, if vfio-pci has the device.
[[nodiscard]] std::optional<std::string> why_no_port(std::string const& address, pci_place const& place);

// Throws failure for a NIC that -a names and that did not become a port. Called after the EAL has started: the EAL
// itself goes on with the remaining ports, without a message.
void require_ports_on_pci(std::span<std::string const> words);

}  // namespace packetwarp
