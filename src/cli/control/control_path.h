// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace packetwarp {

// The folders of running packetwarps' control sockets by default, the best first: /run/packetwarp for root; for other
// users XDG_RUNTIME_DIR/packetwarp, or /run/packetwarp where that is theirs; then /tmp/packetwarp-UID and
// /dev/shm/packetwarp-UID. A run takes the first that this user alone may write to.
[[nodiscard]] std::vector<std::string> control_folders();

// The EAL's --file-prefix among its options, or its default.
[[nodiscard]] std::string file_prefix(std::span<std::string const> eal);

// A path in such a folder by the file prefix: PREFIX.sock, or PREFIX.PID.sock if another process with the same prefix
// has the former. Makes the folder, and removes sockets that killed processes have left in it. Throws failure.
[[nodiscard]] std::string default_control_path(std::span<std::string const> eal);

// The sockets in these folders with a listener.
[[nodiscard]] std::vector<std::string> live_control_paths();

}  // namespace packetwarp
