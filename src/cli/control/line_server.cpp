// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/control/line_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace packetwarp {
namespace {

// A look at a socket's ends reads so much at most.
constexpr std::size_t read_at_once = 16384;

[[nodiscard]] bool may_come_later(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

line_server::line_server(std::string path, handler begins, std::function<std::string(std::string_view)> refusal,
                         line_server_limits limits)
    : path_{std::move(path)},
      begins_{std::move(begins)},
      refusal_{std::move(refusal)},
      limits_{limits},
      listening_{listen_at(path_)} {}

line_server::~line_server() { (void)::unlink(path_.c_str()); }

void line_server::poll(clock::time_point now) {
  accept_clients(now);
  std::erase_if(clients_, [&](client& one) { return !serve(one, now); });
}

void line_server::accept_clients(clock::time_point now) {
  // One a poll: the others wait in the socket.
  owned_fd connection{::accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
  if (!connection) return;
  auto& one = clients_.emplace_back();
  one.connection = std::move(connection);
  one.since = now;
  if (clients_.size() > limits_.clients) refuse(one, fmt::format("{} clients are connected already", limits_.clients));
}

bool line_server::serve(client& one, clock::time_point now) {
  if (one.out.empty() && !one.work && !one.ends && !read(one, now)) return false;
  if (one.work) {
    auto answer = one.work();
    if (!answer) return true;
    one.work = nullptr;
    one.out = std::move(*answer) + '\n';
    one.since = now;
  }
  if (!one.out.empty() && !write(one, now)) return false;
  if (one.ends && one.out.empty()) return false;
  return now - one.since < limits_.patience;
}

bool line_server::read(client& one, clock::time_point now) {
  if (one.in.find('\n') == std::string::npos) {
    std::array<char, read_at_once> some;
    auto const n = ::recv(one.connection.get(), some.data(), some.size(), 0);
    if (n == 0 || (n < 0 && !may_come_later(errno))) return false;
    if (n > 0) {
      one.in.append(some.data(), static_cast<std::size_t>(n));
      one.since = now;
    }
  }
  begin(one);
  return true;
}

void line_server::begin(client& one) {
  auto const end = one.in.find('\n');
  if (end >= limits_.request && (end != std::string::npos || one.in.size() >= limits_.request)) {
    return refuse(one, fmt::format("the request is longer than {} bytes", limits_.request));
  }
  if (end == std::string::npos) return;
  one.work = begins_(std::string_view{one.in}.substr(0, end));
  one.in.erase(0, end + 1);
}

void line_server::refuse(client& one, std::string_view why) {
  one.out = refusal_(why) + '\n';
  one.ends = true;
}

bool line_server::write(client& one, clock::time_point now) {
  auto const n = ::send(one.connection.get(), one.out.data(), one.out.size(), MSG_NOSIGNAL);
  if (n < 0) return may_come_later(errno);
  if (n > 0) {
    one.out.erase(0, static_cast<std::size_t>(n));
    one.since = now;
  }
  return true;
}

}  // namespace packetwarp
