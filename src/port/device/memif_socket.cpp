// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/device/memif_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/process/owned_fd.h"
#include "port/driver/driver_traits.h"

namespace packetwarp {
namespace {

enum class path_state { free, stale, live, no_socket };

// Asks with another type of socket than memif's (SOCK_SEQPACKET): the kernel refuses to connect a datagram socket, with
// EPROTOTYPE if a socket is there and ECONNREFUSED if none is, and the server learns nothing of it. DPDK's server
// panics on a client that goes at once (PANIC in eal_intr_thread_main()).
[[nodiscard]] path_state state_of(std::string const& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return path_state::free;
  if (!S_ISSOCK(found.st_mode)) return path_state::no_socket;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return path_state::free;  // the driver refuses it
  std::memcpy(address.sun_path, path.data(), path.size());
  owned_fd const by{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  bool const is_refused =
      ::connect(by.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0 && errno == ECONNREFUSED;
  return is_refused ? path_state::stale : path_state::live;
}

// The last value of a key, as the driver takes it.
[[nodiscard]] std::string last_of(requested_device const& device, std::string_view key, std::string_view otherwise) {
  auto const values = device.values_of(key);
  return values.empty() ? std::string{otherwise} : values.back();
}

// The file at which the device's driver will listen; empty: none.
[[nodiscard]] std::string listening_file(requested_device const& device) {
  auto const driver = driver_of_device(device.name);
  if (!driver || !driver->traits.listens_at_file) return {};
  auto const role = last_of(device, "role", "client");
  bool const is_server = role == "server" || role == "master";
  if (!is_server || last_of(device, "socket-abstract", "yes") != "no") return {};
  return last_of(device, "socket", "/run/memif.sock");
}

}  // namespace

void require_free_sockets(std::span<requested_device const> devices) {
  for (auto const& device : devices) {
    auto const path = listening_file(device);
    auto const state = path.empty() ? path_state::free : state_of(path);
    if (state == path_state::live) {
      throw usage_error(fmt::format(
          "--vdev={}: socket={}: another program listens there; give this one a path of its own", device.text, path));
    }
    if (state == path_state::no_socket) {
      throw usage_error(
          fmt::format("--vdev={}: socket={}: there is a file that is no socket; give another path", device.text, path));
    }
  }
}

void remove_stale_sockets(std::span<requested_device const> devices) {
  for (auto const& device : devices) {
    auto const path = listening_file(device);
    if (!path.empty() && state_of(path) == path_state::stale) (void)::unlink(path.c_str());
  }
}

}  // namespace packetwarp
