// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace packetwarp {

// Opens a log to append to, without ever waiting. Returns a descriptor, which is non-blocking for a FIFO; -1 for a FIFO
// that has no reader yet. A new file has mode 0600 whatever the umask is; an existing file keeps its mode. Throws
// failure for a path that cannot be opened, for a file or a symbolic link that belongs to neither this user nor root,
// and for a directory.
[[nodiscard]] int open_private_log(std::string const& path);

// Creates a file that only this user may read and write (mode 0600), for writing; a file or link of that name is
// replaced, never followed. Throws failure.
[[nodiscard]] int make_private_file(std::string const& path);

}  // namespace packetwarp
