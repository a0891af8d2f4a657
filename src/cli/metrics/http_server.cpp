// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/metrics/http_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/sleep.h"

namespace packetwarp {
namespace {

constexpr int waiting_connections = 128;
constexpr int accepted_at_once = 64;
constexpr std::string_view bad_request =
    "this is no request of HTTP/1.1: it begins with a line such as 'GET /healthz HTTP/1.1', and has one Host";

// An address of either family, in the system's form.
struct system_address {
  sockaddr_storage bytes{};
  socklen_t size{};
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
};

[[nodiscard]] system_address to_system(listen_address const& from) {
  system_address made;
  auto& v4 = reinterpret_cast<sockaddr_in&>(made.bytes);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(made.bytes);
  if (::inet_pton(AF_INET, from.host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(from.port);
    made.size = sizeof v4;
  } else {
    (void)::inet_pton(AF_INET6, from.host.c_str(), &v6.sin6_addr);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(from.port);
    made.size = sizeof v6;
  }
  return made;
}

[[noreturn]] void refuse(listen_address const& at, int error) {
  auto const where = to_text(at);
  if (error == EADDRINUSE) {
    throw failure(fmt::format("metrics: {} is in use; give another port, or 0 for one that is free", where));
  }
  if (error == EADDRNOTAVAIL) throw failure(fmt::format("metrics: {}: this machine has no such address", where));
  throw failure(fmt::format("metrics: {}: {}", where, std::strerror(error)));
}

[[nodiscard]] owned_fd listen_on(listen_address const& at) {
  auto address = to_system(at);
  owned_fd made{::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (!made) refuse(at, errno);
  int const yes = 1;
  // A port counts as free although the system has not yet forgotten its last connections.
  (void)::setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(made.get(), address.get(), address.size) != 0 || ::listen(made.get(), waiting_connections) != 0) {
    refuse(at, errno);
  }
  return made;
}

[[nodiscard]] std::uint16_t port_of(owned_fd const& socket) {
  system_address found;
  found.size = sizeof found.bytes;
  if (::getsockname(socket.get(), found.get(), &found.size) != 0) return 0;
  // Both families have the port in the same place.
  return ntohs(reinterpret_cast<sockaddr_in&>(found.bytes).sin_port);
}

[[nodiscard]] bool may_come_later(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

bool is_address_here(listen_address at) {
  at.port = 0;
  auto address = to_system(at);
  owned_fd const made{::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  return !made || ::bind(made.get(), address.get(), address.size) == 0 || errno != EADDRNOTAVAIL;
}

http_server::http_server(listen_address const& at, handler answer, http_limits limits)
    : address_{at},
      answer_{std::move(answer)},
      limits_{limits},
      listening_{listen_on(at)},
      wakes_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      spare_{::open("/dev/null", O_RDONLY | O_CLOEXEC)} {
  if (!wakes_) refuse(at, errno);
  address_.port = port_of(listening_);
}

void http_server::serve(std::stop_token const& stop) {
  std::stop_callback const wake{stop, [this] { (void)::eventfd_write(wakes_.get(), 1); }};
  std::vector<pollfd> wanted;
  while (!stop.stop_requested()) {
    wanted = {{.fd = wakes_.get(), .events = POLLIN, .revents = 0},
              {.fd = listening_.get(), .events = POLLIN, .revents = 0}};
    for (auto const& one : connections_) {
      bool const writes = one.now == connection::state::writing;
      wanted.push_back({.fd = one.socket.get(), .events = static_cast<short>(writes ? POLLOUT : POLLIN), .revents = 0});
    }
    // Connections whose time is over are searched for once per second, while connections exist.
    if (::poll(wanted.data(), wanted.size(), connections_.empty() ? -1 : 1000) < 0 && errno != EINTR) return;
    std::size_t n = 2;
    auto const now = clock::now();
    answered_until_ = now + limits_.answer;
    std::erase_if(connections_, [&](connection& one) {
      bool const is_ready = wanted[n++].revents != 0;
      // A request may have waited in the socket while other requests waited for their answers.
      return (is_ready && !work_on(one)) || now >= one.until;
    });
    if (wanted[1].revents != 0) accept_all();
  }
}

void http_server::accept_all() {
  for (int n = 0; n < accepted_at_once; ++n) {
    owned_fd made{::accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (made) {
      if (connections_.size() >= limits_.connections) (void)end_oldest();
      connections_.push_back({.socket = std::move(made), .until = clock::now() + limits_.head_patience});
      continue;
    }
    if (errno != EMFILE && errno != ENFILE) return;
    if (!end_oldest()) return turn_one_away();
  }
}

bool http_server::end_oldest() {
  if (connections_.empty()) return false;
  auto const silent = std::find_if(connections_.begin(), connections_.end(),
                                   [](connection const& one) { return one.now == connection::state::reading; });
  connections_.erase(silent == connections_.end() ? connections_.begin() : silent);
  return true;
}

void http_server::turn_one_away() {
  {
    // The end of the block closes the descriptor.
    owned_fd const place = std::move(spare_);
  }
  {
    owned_fd const refused{::accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    // Other threads have taken the descriptor meanwhile. Sleeping is better than calling poll() again and again.
    if (!refused) sleep_for(std::chrono::milliseconds{100});
  }
  spare_ = owned_fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
}

bool http_server::work_on(connection& one) { return one.now == connection::state::writing ? write(one) : read(one); }

bool http_server::read(connection& one) {
  std::array<char, 4096> some;
  auto const n = ::recv(one.socket.get(), some.data(), some.size(), 0);
  if (n == 0) return false;
  if (n < 0) return may_come_later(errno);
  // Bytes after a request are read and ignored, so that the response is not lost by a reset.
  if (one.now == connection::state::ending) return true;
  one.in.append(some.data(), static_cast<std::size_t>(n));
  auto const end = one.in.find("\r\n\r\n");
  if (end == std::string::npos && one.in.size() < limits_.head) return true;
  one.out = end < limits_.head
                ? answer_to(std::string_view{one.in}.substr(0, end))
                : to_wire(http_error(431, fmt::format("the request is longer than {} bytes", limits_.head)),
                          http_method::get);
  one.now = connection::state::writing;
  one.until = clock::now() + limits_.patience;
  return write(one);
}

bool http_server::write(connection& one) {
  auto const rest = std::string_view{one.out}.substr(one.sent);
  auto const n = ::send(one.socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
  if (n < 0) return may_come_later(errno);
  one.sent += static_cast<std::size_t>(n);
  if (one.sent < one.out.size()) return true;
  (void)::shutdown(one.socket.get(), SHUT_WR);
  one.now = connection::state::ending;
  return true;
}

std::string http_server::answer_to(std::string_view head) const {
  auto const asked = parse_http_request(head);
  if (!asked) return to_wire(http_error(400, bad_request), http_method::get);
  if (asked->method == http_method::other) {
    return to_wire(http_error(405, "there are only GET and HEAD"), asked->method);
  }
  return to_wire(answer_(*asked, answered_until_), asked->method);
}

}  // namespace packetwarp
