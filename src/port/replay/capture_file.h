// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "port/device/requested_device.h"

namespace packetwarp {

// net_pcap forwards what it can read of a capture and says nothing of the rest: of another link type it gives the
// bytes as if they were Ethernet, of a file that was cut short it stops at the cut, and where it writes to the file it
// reads from, the file is empty before it has read it. So captures are looked through before the EAL opens them.
//
// Gives a line for each capture that was cut short. Throws usage_error for one that cannot be opened, failure for one
// that is no capture, or is not of Ethernet frames, and usage_error where a device would overwrite its input.
[[nodiscard]] std::vector<std::string> check_captures(std::span<requested_device const> devices);

// The same EAL word with nothing to write to: tx_pcap=FILE becomes tx_pcap=/dev/null. To open a port whose output is to
// stay as it is: net_pcap empties the file when it opens the port. Pure.
[[nodiscard]] std::string without_outputs(std::string_view word);

}  // namespace packetwarp
