// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace packetwarp {

// Opens a log to append to, without ever waiting: a descriptor, which is non-blocking for a FIFO. A file that is made
// has mode 0600 whatever the umask is; a file that exists keeps its mode. A FIFO that has no reader yet gives -1.
// Throws failure for a path that cannot be opened, for a file or a symbolic link that belongs to neither this user nor
// root, and for a directory.
[[nodiscard]] int open_private_log(std::string const& path);

// Makes a file for this user alone (mode 0600) to write to; a file or link of that name is replaced, never followed.
// Throws failure.
[[nodiscard]] int make_private_file(std::string const& path);

}  // namespace packetwarp
