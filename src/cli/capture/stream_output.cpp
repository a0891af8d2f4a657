// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/capture/stream_output.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace packetwarp {
namespace {

constexpr int milliseconds_a_look = 50;

}  // namespace

bool stream_output::write(std::string_view bytes, std::function<bool()> const& goes_on) {
  while (!bytes.empty()) {
    auto const n = ::send(connection_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
      continue;
    }
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return false;
    if (!goes_on()) return false;
    pollfd writable{.fd = connection_.get(), .events = POLLOUT, .revents = 0};
    (void)::poll(&writable, 1, milliseconds_a_look);
  }
  return true;
}

bool stream_output::is_wanted() {
  char ignored{};
  auto const n = ::recv(connection_.get(), &ignored, 1, MSG_DONTWAIT);
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

}  // namespace packetwarp
