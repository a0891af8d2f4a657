// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace packetwarp {

// Lives while a file that a user has named is opened. A named pipe is opened only when another program opens its other
// end (fifo(7)); meanwhile SIGINT and SIGTERM interrupt the opening, which then fails with EINTR. Only the main thread
// may wait so, because it gets the signals: in another one, such as that of a reload, the constructor throws
// usage_error for a named pipe.
class pipe_wait {
 public:
  explicit pipe_wait(std::filesystem::path const& file);
  pipe_wait(pipe_wait const&) = delete;
  pipe_wait& operator=(pipe_wait const&) = delete;
  ~pipe_wait();

 private:
  bool is_pipe_;
};

}  // namespace packetwarp
