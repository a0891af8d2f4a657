// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/top/terminal.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.h"
#include "base/process/stop.h"

namespace packetwarp {
namespace {

// Sequences for another screen without a cursor, and back.
constexpr std::string_view enter = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view leave = "\x1b[?25h\x1b[?1049l";
constexpr std::string_view home = "\x1b[H";
constexpr std::string_view clear_line = "\x1b[K";

// The signals of a window that is closed, or resized: each ends a wait. base/process/stop.h handles SIGINT and SIGTERM.
extern "C" void on_end(int) { request_stop(); }
extern "C" void on_resize(int) {}

void catch_signal(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

// A terminal that takes nothing must not hold up the end: a stop request ends the wait.
void write_all(std::string_view text) {
  while (!text.empty()) {
    auto const n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR && stop_requested() == stop_request::none) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

struct known_key {
  std::string_view typed;
  key means;
};
constexpr std::array known_keys{known_key{"q", key::quit},           known_key{"Q", key::quit},
                                known_key{"\x03", key::quit},        known_key{"p", key::pause},
                                known_key{"s", key::sort},           known_key{" ", key::refresh},
                                known_key{"\t", key::next_page},     known_key{"\x1b[Z", key::previous_page},
                                known_key{"\x1b[C", key::next_page}, known_key{"\x1b[D", key::previous_page},
                                known_key{"\x1b[A", key::up},        known_key{"\x1b[B", key::down},
                                known_key{"\x1bOC", key::next_page}, known_key{"\x1bOD", key::previous_page},
                                known_key{"\x1bOA", key::up},        known_key{"\x1bOB", key::down}};

}  // namespace

key key_reader::next() {
  while (!typed_.empty()) {
    for (auto const& one : known_keys) {
      if (!typed_.starts_with(one.typed)) continue;
      typed_.erase(0, one.typed.size());
      return one.means;
    }
    bool const may_become_one = std::any_of(known_keys.begin(), known_keys.end(),
                                            [&](auto const& one) { return one.typed.starts_with(typed_); });
    if (may_become_one) return key::none;
    typed_.erase(0, 1);
  }
  return key::none;
}

terminal::terminal() {
  if (::tcgetattr(STDIN_FILENO, &before_) != 0) {
    throw failure(fmt::format("top: standard input is no terminal: {}; give --once", std::strerror(errno)));
  }
  auto raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
  raw.c_iflag &= ~static_cast<tcflag_t>(IXON);
  // The screen could not be restored after the signals of these keys.
  raw.c_cc[VQUIT] = raw.c_cc[VSUSP] = _POSIX_VDISABLE;
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  catch_signal(SIGHUP, on_end);
  catch_signal(SIGQUIT, on_end);
  catch_signal(SIGWINCH, on_resize);
  if (::tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0) {
    throw failure(fmt::format("top: the terminal cannot be set up: {}; give --once", std::strerror(errno)));
  }
  write_all(enter);
}

terminal::~terminal() { restore(); }

void terminal::restore() const {
  write_all(leave);
  (void)::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

terminal::extent terminal::size() const {
  winsize found{};
  extent made;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &found) != 0) return made;
  if (found.ws_col != 0) made.columns = found.ws_col;
  if (found.ws_row != 0) made.lines = found.ws_row;
  return made;
}

void terminal::show(std::vector<std::string> const& lines) {
  std::string all{home};
  // Each line is cleared before it is written: after a line as long as the screen is wide, some terminals would clear
  // its last column.
  for (std::size_t i = 0; i < lines.size(); ++i) all.append(i == 0 ? "" : "\r\n").append(clear_line).append(lines[i]);
  write_all(all);
}

std::optional<key> terminal::wait(std::chrono::milliseconds most) {
  if (auto const waiting = keys_.next(); waiting != key::none) return waiting;
  pollfd typed{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (::poll(&typed, 1, static_cast<int>(most.count())) <= 0) return key::none;
  std::array<char, 64> some;
  auto const n = ::read(STDIN_FILENO, some.data(), some.size());
  if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) return std::nullopt;
  if (n > 0) keys_.take({some.data(), static_cast<std::size_t>(n)});
  return keys_.next();
}

}  // namespace packetwarp
