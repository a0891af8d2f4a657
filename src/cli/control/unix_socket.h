// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/process/owned_fd.h"

namespace packetwarp {

// The longest path of a unix socket, in bytes (unix(7)).
inline constexpr std::size_t most_socket_path = 107;

// The state of the path of a unix stream socket.
enum class socket_state { absent, stale, live, no_socket };

// Finds out by connecting. stale: the socket's process ended without removing it.
[[nodiscard]] socket_state state_of_socket(std::string const& path);

// A socket that listens at a path and never waits; this user may connect to it (mode 0600). A stale socket is replaced.
// Throws usage_error if another process listens or the path is not possible for a socket, failure for an error of the
// system.
[[nodiscard]] owned_fd listen_at(std::string const& path);

// A connection. Throws failure; its line has a remedy if nothing listens.
[[nodiscard]] owned_fd connect_to(std::string const& path);
// The same, or nothing if the listener's queue stays full for this time, or a signal comes. Each send on the connection
// waits up to this time, too.
[[nodiscard]] owned_fd connect_within(std::string const& path, std::chrono::milliseconds most);
// The same without waiting for a place in the listener's queue. Throws failure if the queue is full.
[[nodiscard]] owned_fd connect_at_once(std::string const& path);

}  // namespace packetwarp
