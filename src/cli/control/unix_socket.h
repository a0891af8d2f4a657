// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <utility>

namespace packetwarp {

// A file descriptor, closed with its owner.
class owned_fd {
 public:
  owned_fd() = default;
  explicit owned_fd(int fd) : fd_{fd} {}
  owned_fd(owned_fd&& other) noexcept : fd_{std::exchange(other.fd_, none)} {}
  owned_fd& operator=(owned_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~owned_fd();

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ != none; }

 private:
  static constexpr int none = -1;
  int fd_{none};
};

// The state of the path of a unix stream socket.
enum class socket_state { absent, stale, live, no_socket };

// Asks by connecting. stale: its process ended without taking it away.
[[nodiscard]] socket_state state_of_socket(std::string const& path);

// A socket that listens at a path and never waits; this user may connect to it (mode 0600). A stale one is replaced.
// Throws usage_error if another process listens or the path is not one that a socket can have, failure for an error of
// the system.
[[nodiscard]] owned_fd listen_at(std::string const& path);

// A connection. Throws failure; the line says what to do without a listener.
[[nodiscard]] owned_fd connect_to(std::string const& path);
// The same, or nothing where as many wait to be accepted as may, for as long as this is waited for, or a signal comes.
// A send by it waits as long at a time.
[[nodiscard]] owned_fd connect_within(std::string const& path, std::chrono::milliseconds most);
// The same without waiting for a place among those that wait to be accepted. Throws failure if no place is free.
[[nodiscard]] owned_fd connect_at_once(std::string const& path);

}  // namespace packetwarp
