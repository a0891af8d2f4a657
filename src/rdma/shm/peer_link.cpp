// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/shm/peer_link.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/process/stop.h"

namespace packetwarp::rdma {
namespace {

using steady = std::chrono::steady_clock;
constexpr std::chrono::seconds trade_limit{10};
constexpr std::chrono::milliseconds trade_look{50};

// The first bytes of a GID; the number follows.
constexpr std::array<std::uint8_t, 8> gid_mark{'p', 'w', '-', 's', 'h', 'm', 0, 1};

[[nodiscard]] peer_link::gid new_gid() {
  peer_link::gid made{};
  std::ranges::copy(gid_mark, made.begin());
  std::random_device random;
  for (auto n = gid_mark.size(); n < made.size(); ++n) made[n] = static_cast<std::uint8_t>(random());
  return made;
}

// An address that no file has: its first byte is zero.
struct abstract_address {
  explicit abstract_address(peer_link::gid const& of) {
    std::string name{"packetwarp-rdma-"};
    for (auto const byte : std::span{of}.subspan(gid_mark.size())) name += fmt::format("{:02x}", byte);
    at.sun_family = AF_UNIX;
    std::ranges::copy(name, at.sun_path + 1);
    bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  }
  [[nodiscard]] sockaddr const* get() const { return reinterpret_cast<sockaddr const*>(&at); }
  sockaddr_un at{};
  socklen_t bytes{};
};

[[nodiscard]] owned_fd new_socket() {
  owned_fd made{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
  if (!made) throw failure(fmt::format("rdma: no socket: {}", std::strerror(errno)));
  return made;
}

// The user of the process at the other end of a connection; nothing if the kernel does not know it.
[[nodiscard]] std::optional<uid_t> user_of(owned_fd const& connection) {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) return {};
  return peer.uid;
}

[[nodiscard]] owned_fd connect_to_peer(peer_link::gid const& of_peer) {
  if (!std::equal(gid_mark.begin(), gid_mark.end(), of_peer.begin()))
    throw failure("rdma: the peer shares no memory: both ends need --transport shm of packetwarp");
  auto made = new_socket();
  abstract_address const address{of_peer};
  if (::connect(made.get(), address.get(), address.bytes) != 0)
    throw failure(
        fmt::format("rdma: the peer's memory is not reached: {}: both ends of --transport shm run on one machine, in "
                    "one network namespace",
                    std::strerror(errno)));
  if (auto const user = user_of(made); user != ::geteuid())
    throw failure(fmt::format("rdma: the peer's process belongs to user {}, and this one to user {}: run both as one",
                              user.value_or(uid_t(-1)), ::geteuid()));
  return made;
}

// Waits for events of descriptors. Throws failure if none comes in time, or the user asks to stop.
void await_any(std::span<pollfd> of, steady::time_point until) {
  do {
    if (stop_requested() != stop_request::none) throw failure("rdma: interrupted while it waited for the peer");
    if (steady::now() >= until)
      throw failure(fmt::format("rdma: the peer has not given its memory for {} s", trade_limit.count()));
  } while (::poll(of.data(), of.size(), static_cast<int>(trade_look.count())) <= 0);
}

}  // namespace

peer_link::peer_link() : gid_{new_gid()}, listener_{new_socket()} {
  constexpr int waiting = 16;
  abstract_address const address{gid_};
  if (::bind(listener_.get(), address.get(), address.bytes) != 0 || ::listen(listener_.get(), waiting) != 0)
    throw failure(fmt::format("rdma: no unix socket for the peer: {}", std::strerror(errno)));
}

peer_memory peer_link::trade(gid const& of_peer, region const& own, int file) {
  auto const until = steady::now() + trade_limit;
  // Each end listens since before it told its name, so that both connect without waiting for each other.
  to_peer_ = connect_to_peer(of_peer);
  accept_peer(until);
  listener_ = owned_fd{};
  give_memory(from_peer_.get(), own, file);
  std::array ends{pollfd{to_peer_.get(), POLLIN, 0}};
  await_any(ends, until);
  return receive_memory(to_peer_.get());
}

void peer_link::accept_peer(steady::time_point until) {
  for (;;) {
    std::array ends{pollfd{listener_.get(), POLLIN, 0}, pollfd{to_peer_.get(), 0, 0}};
    await_any(ends, until);
    if ((ends[0].revents & POLLIN) == 0) throw failure(std::string{peer_has_ended_line});
    from_peer_ = owned_fd{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!from_peer_) throw failure(fmt::format("rdma: the peer's connection is not taken: {}", std::strerror(errno)));
    // All users see the name; another one's process gets nothing.
    if (user_of(from_peer_) == ::geteuid()) return;
  }
}

bool peer_link::peer_has_ended(std::chrono::milliseconds limit) const {
  // The peer says nothing after its offer.
  pollfd one{to_peer_.get(), POLLIN, 0};
  return ::poll(&one, 1, static_cast<int>(limit.count())) > 0;
}

void peer_link::close() {
  from_peer_ = owned_fd{};
  to_peer_ = owned_fd{};
}

}  // namespace packetwarp::rdma
