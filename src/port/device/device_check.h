// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "port/device/requested_device.h"

namespace packetwarp {

// Whether drivers beside DPDK's own may be loaded (-d LIB.so), whose devices have any name.
enum class drivers : std::uint8_t { of_dpdk, and_others };

// Throws usage_error for a virtual device that no driver of DPDK makes. Called before the EAL starts: the EAL reports
// the same in several lines of its own.
void require_known_drivers(std::span<requested_device const> devices, drivers known);

// Throws usage_error for a virtual device that needs a kernel interface but names none, or names an interface that this
// network namespace does not have. Called before the EAL starts.
void require_interfaces(std::span<requested_device const> devices);

}  // namespace packetwarp
