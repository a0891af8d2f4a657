// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "port/device/requested_device.h"

namespace packetwarp {

// For a port of net_pcap that writes captures (tx_pcap=FILE), whose driver counts a packet as sent although the disk is
// full. packets and bytes: as the port has counted them since its start. Returns a line that says how much the files
// lack; nothing if they lack nothing, or if one is no regular file, or cannot be seen.
[[nodiscard]] std::optional<std::string> loss_of_captures(requested_device const& device, std::uint64_t packets,
                                                          std::uint64_t bytes);

}  // namespace packetwarp
