// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "port/device/requested_device.h"

namespace packetwarp {

// net_pcap forwards the readable part of a capture and does not report the rest: it takes bytes of another link type
// for Ethernet, it stops at the cut of a file that was cut short, and if it writes to the file that it reads from, the
// file is empty before it has read it. So captures are checked before the EAL opens them.
//
// Returns a line for each capture that was cut short. Throws usage_error for a capture that cannot be opened, failure
// for a file that is no capture or does not hold Ethernet frames, and usage_error if a device would overwrite the
// input of one.
[[nodiscard]] std::vector<std::string> check_captures(std::span<requested_device const> devices);

// The same EAL word without outputs: tx_pcap=FILE becomes tx_pcap=/dev/null. For a port that is opened while its output
// must stay as it is: net_pcap empties the file when it opens the port. Pure.
[[nodiscard]] std::string without_outputs(std::string_view word);

}  // namespace packetwarp
