// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "base/process/owned_fd.h"
#include "file/distinct_files.h"

namespace packetwarp {

// The destination of captured packets. It is opened before the request is sent; its old content stays until packets
// come. Throws failure. A reader that stands still holds up no call for longer than the call says.
class capture_target {
 public:
  // A named pipe waits for its reader; SIGINT and SIGTERM end the wait.
  explicit capture_target(std::string const& name);
  capture_target(capture_target const&) = delete;
  capture_target& operator=(capture_target const&) = delete;
  ~capture_target();

  // Nothing for standard output, and for a device or a pipe.
  [[nodiscard]] std::optional<file_id> id() const;
  void begin();
  // For poll(2), which reports an error or a hang-up if there is no reader any more.
  [[nodiscard]] int descriptor() const;
  // Writes a first part of the bytes, once there is room; returns its size: 0 if there is none for `most`, nothing if
  // there is no reader any more.
  [[nodiscard]] std::optional<std::size_t> write_some(std::span<char const> bytes,
                                                      std::chrono::milliseconds most) const;
  // For a reader that has taken nothing for a while.
  [[noreturn]] void give_up(std::chrono::milliseconds waited) const;

 private:
  [[noreturn]] void refuse() const;

  std::string name_;
  owned_fd file_;
  bool is_new_{};
  bool has_begun_{};
  bool takes_all_{};  // a regular file
};

}  // namespace packetwarp
