// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/process/standard_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace packetwarp {

void hold_standard_files() {
  for (int const file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(file, F_GETFD) >= 0 || errno != EBADF) continue;
    // A read of a file that is open for writing gets EBADF, and so the other way round. open() takes the lowest number.
    int const opened = ::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened != file) throw failure(fmt::format("/dev/null: {}", std::strerror(errno)));
  }
}

}  // namespace packetwarp
