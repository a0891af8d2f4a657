// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/config.h"
#include "plan/plan.h"

namespace packetwarp {

// Compares each interface with its port, planned of this config: its ports are in the interfaces' order. Throws
// usage_error with FILE:LINE for an interface with addresses whose port has no MAC address to give it, and for an MTU
// above that of the kernel's interface, or of the rings between both: net_af_packet counts longer packets as sent, and
// they are lost. A default MTU above these becomes a notice.
void check_interfaces(network_config const& config, plan& planned);

}  // namespace packetwarp
