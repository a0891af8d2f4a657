// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace packetwarp {

// The folder of running packetwarps' control sockets by default: /run/packetwarp, for users other than root
// packetwarp/ in XDG_RUNTIME_DIR or in /tmp. Only this user may look into it.
[[nodiscard]] std::string control_folder();

// The EAL's --file-prefix among its options, or its default.
[[nodiscard]] std::string file_prefix(std::span<std::string const> eal);

// A path there by the file prefix: PREFIX.sock, or where another process with the same prefix has that,
// PREFIX.PID.sock. Makes the folder, takes away what killed processes have left there. Throws failure.
[[nodiscard]] std::string default_control_path(std::span<std::string const> eal);

// The sockets there with a listener, sorted.
[[nodiscard]] std::vector<std::string> live_control_paths();

}  // namespace packetwarp
