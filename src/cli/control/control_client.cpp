// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/control/control_client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>

#include "base/error.h"
#include "base/log/log.h"
#include "base/process/stop.h"
#include "cli/control/control_path.h"

namespace packetwarp {
namespace {

// The time between two questions whether a caller waits.
constexpr std::chrono::milliseconds a_while{100};

[[nodiscard]] bool may_go_on(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

[[nodiscard]] std::string only_running() {
  auto const found = live_control_paths();
  if (found.empty()) {
    throw failure(
        fmt::format("no packetwarp runs with a control socket in {}; start one by 'packetwarp run', or give "
                    "its socket by --control PATH",
                    fmt::format("{}", fmt::join(control_folders(), ", "))));
  }
  if (found.size() == 1) return found.front();
  std::string all;
  for (auto const& path : found) all.append(all.empty() ? "" : ", ").append(path);
  throw usage_error(fmt::format("{} packetwarps run; say which by --control PATH, one of {}", found.size(), all));
}

}  // namespace

control_client::control_client(std::optional<std::string> const& path, control_client_limits limits)
    : path_{path ? *path : only_running()}, limits_{limits}, connection_{connect_within(path_, a_while)} {}

json control_client::ask(request const& asked) {
  auto said = ask(asked, [] { return stop_requested() == stop_request::none; });
  if (said) return *std::move(said);
  throw failure(
      fmt::format("control socket {}: a signal ended the wait for the answer to '{}'; whether the request was "
                  "done is not known",
                  path_, asked.command));
}

std::optional<json> control_client::ask(request const& asked, std::function<bool()> const& is_waited_for) {
  auto const line = to_line(asked) + '\n';
  for (auto const until = clock::now() + limits_.again;;) {
    if (!connect(until, is_waited_for) || !send(line, is_waited_for)) return std::nullopt;
    auto const said = receive(is_waited_for);
    if (!said) return std::nullopt;
    auto given = parse_answer(*said);
    if (!given.again || clock::now() >= until) {
      if (given.status == exit_usage) throw usage_error(given.error);
      if (given.status != exit_success) throw failure(given.error);
      return std::move(given.result);
    }
    connection_ = {};
    read_.clear();
    if (!is_waited_for()) return std::nullopt;
    std::this_thread::sleep_for(limits_.pause);
  }
}

owned_fd control_client::process() const {
  ucred listener{};
  socklen_t size = sizeof listener;
  if (::getsockopt(connection_.get(), SOL_SOCKET, SO_PEERCRED, &listener, &size) != 0 || listener.pid <= 0) return {};
  return owned_fd{static_cast<int>(::syscall(SYS_pidfd_open, listener.pid, 0))};
}

bool control_client::connect(clock::time_point until, waiting const& is_waited_for) {
  while (!connection_) {
    if (!is_waited_for()) return false;
    connection_ = connect_within(path_, a_while);
    if (!connection_ && clock::now() >= until) {
      throw failure(fmt::format("control socket {}: its queue of waiting clients is full; ask later", path_));
    }
  }
  return true;
}

void control_client::notice_silence(clock::time_point since) {
  if (has_told_ || clock::now() - since < limits_.silence) return;
  auto const text = fmt::format(
      "control socket {}: packetwarp has not answered for {:.3g} s; it may be stopped (SIGSTOP), or "
      "have too little of the CPU",
      path_, std::chrono::duration<double>{limits_.silence}.count());
  if (limits_.then == at_silence::fail) throw failure(text);
  has_told_ = true;
  log().warn("{}; this command waits on, and Ctrl-C ends it without telling whether the request is done", text);
}

bool control_client::send(std::string_view line, waiting const& is_waited_for) {
  auto const since = clock::now();
  while (!line.empty()) {
    auto const n = ::send(connection_.get(), line.data(), line.size(), MSG_NOSIGNAL);
    if (n > 0) {
      line.remove_prefix(static_cast<std::size_t>(n));
    } else if (!may_go_on(errno)) {
      return true;  // receive() gets the server's last answer, or finds that it gave none
    } else if (!is_waited_for()) {
      return false;
    } else {
      notice_silence(since);
    }
  }
  return true;
}

std::optional<std::string> control_client::receive(waiting const& is_waited_for) {
  std::array<char, 65536> some;
  auto since = clock::now();
  for (auto end = read_.find('\n'); end == std::string::npos; end = read_.find('\n')) {
    pollfd readable{.fd = connection_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&readable, 1, static_cast<int>(a_while.count())) <= 0) {
      if (!is_waited_for()) return std::nullopt;
      notice_silence(since);
      continue;
    }
    auto const n = ::recv(connection_.get(), some.data(), some.size(), 0);
    if (n < 0 && may_go_on(errno)) continue;
    if (n <= 0) {
      throw failure(
          fmt::format("control socket {}: packetwarp ended, or left this client, before all of the answer had come; "
                      "whether the request was done is not known, and its own output says why if it ended",
                      path_));
    }
    read_.append(some.data(), static_cast<std::size_t>(n));
    since = clock::now();
  }
  auto const end = read_.find('\n');
  auto line = read_.substr(0, end);
  read_.erase(0, end + 1);
  return line;
}

}  // namespace packetwarp
