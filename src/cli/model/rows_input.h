// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <streambuf>
#include <string>

#include "cli/control/unix_socket.h"

namespace packetwarp {

// Reads the bytes of a file, a pipe or standard input ("-") for an istream. A signal ends the wait for bytes, and the
// wait for the other end of a named pipe; std::ifstream would read on. Only the main thread may use it (pipe_wait).
class rows_input final : public std::streambuf {
 public:
  // Throws usage_error if the file cannot be opened.
  explicit rows_input(std::string const& path);

 private:
  // Throws failure after a stop request, or if the file cannot be read: an istream with exceptions(badbit) passes it
  // on.
  int_type underflow() override;

  owned_fd file_;
  std::string path_;
  std::array<char, 65536> bytes_{};
};

}  // namespace packetwarp
