// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "port/device/requested_device.h"

namespace packetwarp {

// net_memif's server listens at a file (role=server,socket=FILE,socket-abstract=no), which stays when
// its process is killed; the driver refuses such a file.

// Throws usage_error for a file at which another program listens, or which is no socket. Called before the EAL starts.
void require_free_sockets(std::span<requested_device const> devices);

// Removes the files of sockets at which no program listens. Called before the EAL starts, and only if it is about to.
void remove_stale_sockets(std::span<requested_device const> devices);

}  // namespace packetwarp
