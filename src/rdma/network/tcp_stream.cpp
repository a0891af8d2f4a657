// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/tcp_stream.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/error.h"

namespace packetwarp::rdma {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
constexpr auto look_every = 50ms;

// A wait for the peer: until when, and which request of the user ends it earlier.
struct wait_bounds {
  clock::time_point until{};
  stop_request obeyed{stop_request::drain};
};

void require_wanted(stop_request obeyed) {
  if (stop_requested() >= obeyed) throw failure("rdma: interrupted while it waited for the peer");
}

// Waits for an event, in steps between which the user may ask to stop. False if it does not come.
[[nodiscard]] bool comes(int descriptor, short events, wait_bounds const& limit, std::string const& peer) {
  for (;;) {
    require_wanted(limit.obeyed);
    pollfd one{descriptor, events, 0};
    auto const ready = ::poll(&one, 1, static_cast<int>(look_every.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) throw failure(fmt::format("rdma: {}: {}", peer, std::strerror(errno)));
    if (clock::now() >= limit.until) return false;
  }
}

void await(int descriptor, short events, wait_bounds const& limit, std::string const& peer) {
  if (!comes(descriptor, events, limit, peer))
    throw failure(fmt::format("rdma: {} says nothing: is it a perftest of the same kind?", peer));
}

void set_option(int descriptor, int level, int name, int value) {
  (void)::setsockopt(descriptor, level, name, &value, sizeof value);
}

struct free_addresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using addresses = std::unique_ptr<addrinfo, free_addresses>;

[[nodiscard]] addresses look_up(std::string const& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (auto const error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); error != 0)
    throw usage_error(fmt::format("rdma: the peer '{}' has no IPv4 address: {}", host, ::gai_strerror(error)));
  return addresses{found};
}

// Connects a socket that does not block. Returns 0, or the error.
[[nodiscard]] int connect_until(int descriptor, addrinfo const& to, clock::time_point until, std::string const& peer) {
  if (::connect(descriptor, to.ai_addr, to.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!comes(descriptor, POLLOUT, {until}, peer)) return ETIMEDOUT;
  int error = 0;
  socklen_t bytes = sizeof error;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 ? error : errno;
}

// Whether a socket is its own peer: the kernel gave a client the port that it connects to, because none listens there.
[[nodiscard]] bool has_met_itself(int descriptor) {
  sockaddr_in own{}, peer{};
  socklen_t of_own = sizeof own, of_peer = sizeof peer;
  return ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &of_own) == 0 &&
         ::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &of_peer) == 0 &&
         own.sin_port == peer.sin_port && own.sin_addr.s_addr == peer.sin_addr.s_addr;
}

[[nodiscard]] owned_fd made_or_failed(int descriptor) {
  if (descriptor < 0) throw failure(fmt::format("rdma: no socket: {}", std::strerror(errno)));
  return owned_fd{descriptor};
}

}  // namespace

tcp_stream::tcp_stream(owned_fd descriptor, std::string peer)
    : descriptor_{std::move(descriptor)}, peer_{std::move(peer)} {
  auto const socket = descriptor_.get();
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  // A host that dies closes nothing: the kernel asks it from time to time.
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 10);  // seconds
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);  // ms
}

tcp_stream tcp_stream::connect(std::string const& host, std::uint16_t port, std::chrono::seconds limit) {
  auto const found = look_up(host, port);
  auto peer = fmt::format("{}:{}", host, port);
  for (auto const until = clock::now() + limit;;) {
    require_wanted(stop_request::drain);
    auto made = made_or_failed(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    auto error = connect_until(made.get(), *found, until, peer);
    if (error == 0 && has_met_itself(made.get())) error = ECONNREFUSED;
    if (error == 0) {
      ::fcntl(made.get(), F_SETFL, 0);  // from here on it blocks
      return {std::move(made), std::move(peer)};
    }
    if (clock::now() >= until)
      throw failure(fmt::format("rdma: {} does not accept: {}; start the server first, anew for each client", peer,
                                std::strerror(error)));
    ::poll(nullptr, 0, static_cast<int>(look_every.count()));
  }
}

tcp_stream tcp_stream::accept(std::string const& address, std::uint16_t port,
                              std::function<void()> const& once_it_listens) {
  auto const found = look_up(address, port);
  auto const listener = made_or_failed(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  set_option(listener.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (::bind(listener.get(), found->ai_addr, found->ai_addrlen) != 0 || ::listen(listener.get(), 1) != 0)
    throw failure(fmt::format("rdma: {}:{} cannot be listened on: {}; -p takes another port", address, port,
                              std::strerror(errno)));
  if (once_it_listens) once_it_listens();
  await(listener.get(), POLLIN, {clock::time_point::max()}, fmt::format("{}:{}", address, port));
  sockaddr_in from{};
  socklen_t bytes = sizeof from;
  auto made = made_or_failed(::accept4(listener.get(), reinterpret_cast<sockaddr*>(&from), &bytes, SOCK_CLOEXEC));
  char text[INET_ADDRSTRLEN]{};
  ::inet_ntop(AF_INET, &from.sin_addr, text, sizeof text);
  return {std::move(made), fmt::format("{}:{}", text, ntohs(from.sin_port))};
}

void tcp_stream::write(std::span<std::byte const> bytes, std::chrono::milliseconds limit) const {
  for (auto const until = clock::now() + limit; !bytes.empty();) {
    await(descriptor_.get(), POLLOUT, {until, obeyed_}, peer_);
    auto const n = ::send(descriptor_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0) throw failure(fmt::format("rdma: {} has gone: {}", peer_, std::strerror(errno)));
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

void tcp_stream::read(std::span<std::byte> bytes, std::chrono::milliseconds limit) const {
  for (auto const until = clock::now() + limit; !bytes.empty();) {
    await(descriptor_.get(), POLLIN, {until, obeyed_}, peer_);
    auto const n = ::recv(descriptor_.get(), bytes.data(), bytes.size(), 0);
    if (n < 0) throw failure(fmt::format("rdma: {} has gone: {}", peer_, std::strerror(errno)));
    if (n == 0) throw failure(fmt::format("rdma: {} has closed the connection: its own output says why", peer_));
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

bool tcp_stream::is_readable(std::chrono::milliseconds limit) const {
  pollfd one{descriptor_.get(), POLLIN, 0};
  return ::poll(&one, 1, static_cast<int>(limit.count())) > 0;
}

}  // namespace packetwarp::rdma
