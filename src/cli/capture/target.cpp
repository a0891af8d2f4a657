// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/capture/target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/process/pipe_wait.h"
#include "cli/capture/options.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::optional<file_id> regular_file(int descriptor) {
  struct stat found {};
  bool const is_file = ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
  return is_file ? std::optional{file_id{found.st_dev, found.st_ino}} : std::nullopt;
}

}  // namespace

capture_target::capture_target(std::string const& name) : name_{name} {
  if (name != capture_to_standard_output) {
    // Packets may be confidential: a new file is for this user alone.
    constexpr mode_t mode = S_IRUSR | S_IWUSR;
    is_new_ = !std::filesystem::exists(name);
    pipe_wait const beside{name};
    file_ = owned_fd{::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, mode)};
    if (!file_) refuse();
  }
  takes_all_ = regular_file(descriptor()).has_value();
}

capture_target::~capture_target() {
  if (is_new_ && !has_begun_) (void)::unlink(name_.c_str());
}

int capture_target::descriptor() const { return file_ ? file_.get() : STDOUT_FILENO; }

std::optional<file_id> capture_target::id() const { return file_ ? regular_file(file_.get()) : std::nullopt; }

void capture_target::begin() {
  has_begun_ = true;
  if (id() && ::ftruncate(file_.get(), 0) != 0) refuse();
}

std::optional<std::size_t> capture_target::write_some(std::span<char const> bytes,
                                                      std::chrono::milliseconds most) const {
  pollfd writable{.fd = descriptor(), .events = POLLOUT, .revents = 0};
  if (!takes_all_ && ::poll(&writable, 1, static_cast<int>(most.count())) <= 0) return 0;
  // A pipe with room takes this many bytes at once (pipe(7)); a write of more waits for its reader. O_NONBLOCK would
  // hold for other programs with the same standard output, too.
  auto const size = takes_all_ ? bytes.size() : std::min<std::size_t>(bytes.size(), PIPE_BUF);
  auto const n = ::write(writable.fd, bytes.data(), size);
  if (n >= 0) return static_cast<std::size_t>(n);
  if (errno == EPIPE) return std::nullopt;
  if (errno != EINTR && errno != EAGAIN) refuse();
  return 0;
}

void capture_target::give_up(std::chrono::milliseconds waited) const {
  throw failure(fmt::format("-w {}: its reader has taken nothing for {} ms after the capture's end; the rest is lost",
                            name_, waited.count()));
}

void capture_target::refuse() const { throw failure(fmt::format("-w {}: {}", name_, std::strerror(errno))); }

}  // namespace packetwarp
