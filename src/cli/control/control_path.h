// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace packetwarp {

// The folder of running packetwarps' control sockets by default: /run/packetwarp for root, for other users
// XDG_RUNTIME_DIR/packetwarp or /tmp/packetwarp-UID. Only this user may open it.
[[nodiscard]] std::string control_folder();

// The EAL's --file-prefix among its options, or its default.
[[nodiscard]] std::string file_prefix(std::span<std::string const> eal);

// A path in that folder by the file prefix: PREFIX.sock, or PREFIX.PID.sock if another process with the same prefix has
// the former. Makes the folder, and removes sockets that killed processes have left in it. Throws failure.
[[nodiscard]] std::string default_control_path(std::span<std::string const> eal);

// The sockets in that folder with a listener, sorted.
[[nodiscard]] std::vector<std::string> live_control_paths();

}  // namespace packetwarp
