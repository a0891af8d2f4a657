// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/control/control_client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <string_view>

#include "base/error.h"
#include "cli/control/control_path.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::string only_running() {
  auto const found = live_control_paths();
  if (found.empty()) {
    throw failure(
        fmt::format("no packetwarp runs with a control socket in {}; start one by 'packetwarp run', or give "
                    "its socket by --control PATH",
                    control_folder()));
  }
  if (found.size() == 1) return found.front();
  std::string all;
  for (auto const& path : found) all.append(all.empty() ? "" : ", ").append(path);
  throw usage_error(fmt::format("{} packetwarps run; say which by --control PATH, one of {}", found.size(), all));
}

}  // namespace

control_client::control_client(std::optional<std::string> const& path)
    : path_{path ? *path : only_running()}, connection_{connect_to(path_)} {}

std::optional<json> control_client::ask(request const& asked, std::function<bool()> const& is_waited_for) {
  auto line = to_line(asked) + '\n';
  for (std::string_view left = line; !left.empty();) {
    auto const n = ::send(connection_.get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (n <= 0) break;  // what it says, or that it says nothing, comes next
    left.remove_prefix(static_cast<std::size_t>(n));
  }
  for (auto end = read_.find('\n');; end = read_.find('\n')) {
    if (end != std::string::npos) {
      line = read_.substr(0, end);
      read_.erase(0, end + 1);
      break;
    }
    pollfd readable{.fd = connection_.get(), .events = POLLIN, .revents = 0};
    constexpr int milliseconds = 100;
    if (::poll(&readable, 1, milliseconds) <= 0) {
      if (!is_waited_for()) return std::nullopt;
      continue;
    }
    std::array<char, 65536> some;
    auto const n = ::recv(connection_.get(), some.data(), some.size(), 0);
    if (n <= 0) {
      throw failure(
          fmt::format("control socket {}: packetwarp ended before it answered; its own output says why", path_));
    }
    read_.append(some.data(), static_cast<std::size_t>(n));
  }
  auto given = parse_answer(line);
  if (given.status == exit_usage) throw usage_error(given.error);
  if (given.status != exit_success) throw failure(given.error);
  return std::move(given.result);
}

}  // namespace packetwarp
