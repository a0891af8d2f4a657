// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/process/standard_error.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/error.h"

namespace packetwarp {

bool standard_error::put(std::string_view line, std::chrono::milliseconds patience) {
  std::lock_guard const lock{mutex_};
  auto const lost = lost_.load(std::memory_order_relaxed);
  if (lost != told_ &&
      write(fmt::format("packetwarp: warning: {} lines of this log were lost\n", lost - told_), patience)) {
    told_ = lost;
  }
  bool const is_written = lost == told_ && write(line, patience);
  (is_written ? written_ : lost_).fetch_add(1, std::memory_order_relaxed);
  return is_written;
}

// A writable pipe has room for PIPE_BUF bytes: a write of at most these returns at once (POSIX, write()).
bool standard_error::write(std::string_view text, std::chrono::milliseconds patience) const {
  while (!text.empty()) {
    pollfd writable{.fd = file_, .events = POLLOUT, .revents = 0};
    auto const ready = ::poll(&writable, 1, static_cast<int>(patience.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    auto const n = ::write(file_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

standard_error& the_standard_error() {
  static standard_error its{STDERR_FILENO};
  return its;
}

namespace {

// A handler rather than SIG_IGN: programs that are started inherit ignored signals.
void take_without_effect(int signal) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void survive_broken_pipes() { take_without_effect(SIGPIPE); }

void survive_limits_of_files() { take_without_effect(SIGXFSZ); }

void print_result(std::string_view text) {
  bool const is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!is_written) throw failure(fmt::format("standard output: {}; the result is lost there", std::strerror(errno)));
}

}  // namespace packetwarp
