// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace packetwarp {

// "b5:00.0", "0000:B5:00.0": in the kernel's form, "0000:b5:00.0"; nothing for a text that is no address on PCI. Pure.
[[nodiscard]] std::optional<std::string> pci_address(std::string_view text);

// Addresses of the devices that -a names among EAL words, in the order in which they are named. Pure.
[[nodiscard]] std::vector<std::string> requested_pci(std::span<std::string const> words);

// Why a device that the EAL was asked for is no port, and what would make it one: in words that follow its address.
// Nothing for a device that is no NIC. devices: the kernel's folder of them.
[[nodiscard]] std::optional<std::string> why_no_port(std::string const& address, std::filesystem::path const& devices);

// After the EAL has started: throws usage_error for a NIC that -a names and that did not become a port. The EAL itself
// goes on with the ports that are left, and says nothing.
void require_ports_on_pci(std::span<std::string const> words);

}  // namespace packetwarp
