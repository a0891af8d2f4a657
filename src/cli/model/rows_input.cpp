// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/model/rows_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/process/pipe_wait.h"
#include "base/process/stop.h"

namespace packetwarp {
namespace {

// Bounds the wait for a signal that came just before poll().
constexpr int poll_milliseconds = 100;

[[nodiscard]] int open_rows(std::string const& path) {
  if (path == "-") return ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  if (std::filesystem::is_directory(path)) {
    throw usage_error(fmt::format("--rows {}: is a directory; give a CSV file", path));
  }
  pipe_wait const beside{path};
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

rows_input::rows_input(std::string const& path) : file_{open_rows(path)}, path_{path} {
  if (file_.get() < 0) throw usage_error(fmt::format("--rows {}: cannot be read: {}", path, std::strerror(errno)));
}

rows_input::int_type rows_input::underflow() {
  pollfd wanted{.fd = file_.get(), .events = POLLIN, .revents = 0};
  int ready = 0;
  do {
    if (stop_requested() != stop_request::none) throw failure("interrupted before every row was evaluated");
    ready = ::poll(&wanted, 1, poll_milliseconds);
  } while (ready == 0 || (ready < 0 && errno == EINTR));
  auto const got = ::read(file_.get(), bytes_.data(), bytes_.size());
  if (got < 0) throw failure(fmt::format("--rows {}: reading failed: {}", path_, std::strerror(errno)));
  if (got == 0) return traits_type::eof();
  setg(bytes_.data(), bytes_.data(), bytes_.data() + got);
  return traits_type::to_int_type(bytes_.front());
}

}  // namespace packetwarp
