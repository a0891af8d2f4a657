// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace packetwarp {

// Makes a folder that only this user may open, unless it is there. Returns the reason why it is not; empty: it is.
[[nodiscard]] std::string make_own_folder(std::string const& folder);

// Whether it is a folder of this user's, in which no other user can make files.
[[nodiscard]] bool is_own_folder(std::string const& folder);

// This user's folders for files that end with the process, where no other place can be written to: in /tmp, and in
// /dev/shm, which a container has also when its root is read-only.
[[nodiscard]] std::vector<std::string> last_runtime_folders();

// The folder in which the EAL can make the one of its own ("dpdk"): RUNTIME_DIRECTORY, the EAL's default, or one of the
// last folders. Throws usage_error if none can be written to.
[[nodiscard]] std::string find_eal_runtime_folder();

// Lets the EAL use that folder, which it reads in RUNTIME_DIRECTORY. Called before the EAL starts.
void give_eal_a_runtime_folder();

}  // namespace packetwarp
