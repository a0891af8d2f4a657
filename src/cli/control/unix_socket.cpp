// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/control/unix_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace packetwarp {
namespace {

constexpr int waiting_connections = 64;

[[nodiscard]] sockaddr_un address_of(std::string const& path) {
  sockaddr_un address{};
  static_assert(most_socket_path == sizeof address.sun_path - 1);
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() > most_socket_path || path.find('\0') != std::string::npos) {
    throw usage_error(fmt::format("control socket '{}': a socket's path has 1 to {} bytes; give a shorter one", path,
                                  most_socket_path));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

enum class waiting : int { never = SOCK_NONBLOCK, allowed = 0 };

[[nodiscard]] owned_fd make_socket(waiting how) {
  owned_fd made{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | static_cast<int>(how), 0)};
  if (!made) throw failure(fmt::format("control socket: {}", std::strerror(errno)));
  return made;
}

// Returns 0, or the error.
[[nodiscard]] int connect_error(owned_fd const& by, std::string const& path) {
  auto const address = address_of(path);
  return ::connect(by.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0 ? 0 : errno;
}

[[noreturn]] void refuse_connection(std::string const& path, int error) {
  bool const is_nobody = error == ENOENT || error == ECONNREFUSED;
  throw failure(fmt::format("control socket {}: {}", path,
                            is_nobody ? "no packetwarp runs there; start one by 'packetwarp run', or say which by "
                                        "--control PATH"
                                      : std::strerror(error)));
}

[[nodiscard]] owned_fd connect(std::string const& path, waiting how) {
  auto made = make_socket(how);
  if (auto const error = connect_error(made, path); error != 0) refuse_connection(path, error);
  return made;
}

}  // namespace

socket_state state_of_socket(std::string const& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return socket_state::absent;
  if (!S_ISSOCK(found.st_mode)) return socket_state::no_socket;
  return connect_error(make_socket(waiting::never), path) == ECONNREFUSED ? socket_state::stale : socket_state::live;
}

owned_fd listen_at(std::string const& path) {
  auto const address = address_of(path);
  switch (state_of_socket(path)) {
    case socket_state::absent:
      break;
    case socket_state::stale:
      (void)::unlink(path.c_str());
      break;
    case socket_state::live:
      throw usage_error(
          fmt::format("control socket {}: another packetwarp listens there; give this one a path of its own", path));
    case socket_state::no_socket:
      throw usage_error(fmt::format("control socket {}: there is a file that is no socket; give another path", path));
  }
  auto made = make_socket(waiting::never);
  // The mode is set before the socket has a name: no other user ever sees it open to all.
  (void)::fchmod(made.get(), S_IRUSR | S_IWUSR);
  if (::bind(made.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0 ||
      ::listen(made.get(), waiting_connections) != 0) {
    throw failure(fmt::format("control socket {}: {}; give a path in a folder that can be written to", path,
                              std::strerror(errno)));
  }
  return made;
}

owned_fd connect_to(std::string const& path) { return connect(path, waiting::allowed); }
owned_fd connect_within(std::string const& path, std::chrono::milliseconds most) {
  auto made = make_socket(waiting::allowed);
  auto const seconds = std::chrono::floor<std::chrono::seconds>(most);
  timeval const time{.tv_sec = seconds.count(), .tv_usec = std::chrono::microseconds{most - seconds}.count()};
  (void)::setsockopt(made.get(), SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
  auto const error = connect_error(made, path);
  if (error == 0) return made;
  // A full queue is no refusal by the listener, which would be ECONNREFUSED.
  if (error != EAGAIN && error != EINTR) refuse_connection(path, error);
  return {};
}
owned_fd connect_at_once(std::string const& path) { return connect(path, waiting::never); }

}  // namespace packetwarp
