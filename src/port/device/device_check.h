// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/process/container.h"
#include "base/process/privileges.h"
#include "port/device/requested_device.h"

namespace packetwarp {

// Whether drivers beside DPDK's own may be loaded (-d LIB.so), whose devices have any name.
enum class drivers : std::uint8_t { of_dpdk, and_others };

// Throws usage_error for a virtual device that no driver of DPDK makes. Called before the EAL starts: the EAL reports
// the same in several lines of its own.
void require_known_drivers(std::span<requested_device const> devices, drivers known);

// Throws usage_error for a name that two devices have. Called before the EAL starts: it would make only the first one.
void require_distinct_names(std::span<requested_device const> devices);

// Throws usage_error for an argument that the device's driver does not have, for drivers of which all are known here,
// and for one whose value is not the number that the driver needs. Called before the EAL starts: some drivers ignore
// such an argument, others make no port and do not say why.
void require_known_arguments(std::span<requested_device const> devices, drivers known);

// Throws usage_error for a virtual device that needs a kernel interface but names none, and failure for one that names
// an interface that this network namespace does not have: it may come later. where: the place that the remedy is for.
// Called before the EAL starts.
void require_interfaces(std::span<requested_device const> devices, surroundings where);

// Throws usage_error for a virtual device whose interface has an XDP program, if its driver takes that away when the
// device is closed: it may be a running packetwarp's. For a program that opens devices and sends nothing. Called before
// the EAL starts.
void require_unused_xdp(std::span<requested_device const> devices);

// Throws usage_error for a virtual device whose driver opens what the kernel gives only by a right that is not among
// `own` (packet(7): CAP_NET_RAW; TUNSETIFF: CAP_NET_ADMIN). Called before the EAL starts.
void require_rights(std::span<requested_device const> devices, capability_set own, surroundings where);

}  // namespace packetwarp
