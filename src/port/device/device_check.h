// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "port/device/requested_device.h"

namespace packetwarp {

// Whether drivers beside DPDK's own may be loaded (-d LIB.so), whose devices have any name.
enum class drivers : std::uint8_t { of_dpdk, and_others };

// Before the EAL starts, which says the same in several lines of its own: throws usage_error for a virtual device that
// no driver of DPDK makes.
void require_known_drivers(std::span<requested_device const> devices, drivers known);

// The same for one that needs an interface of this network namespace and names none, or one that is not there.
void require_interfaces(std::span<requested_device const> devices);

}  // namespace packetwarp
