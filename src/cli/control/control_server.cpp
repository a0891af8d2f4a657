// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/control/control_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/log/log.h"
#include "cli/control/control_path.h"

namespace packetwarp {
namespace {

constexpr std::string_view no_socket = "none";

[[nodiscard]] request_work answer_at_once(std::string line) {
  return [line = std::move(line)] { return std::optional{line}; };
}

}  // namespace

request_work guarded(request_work work) {
  return [work = std::move(work)]() -> std::optional<std::string> {
    try {
      return work();
    } catch (usage_error const& wrong) {
      return error_line(exit_usage, wrong.what());
    } catch (std::exception const& failed) {
      return error_line(exit_failure, failed.what());
    }
  };
}

void refuse_command(request const& asked, std::string_view running, std::span<std::string_view const> of_networks) {
  auto const word = std::string_view{asked.command}.substr(0, asked.command.find(' '));
  if (std::find(of_networks.begin(), of_networks.end(), word) != of_networks.end()) {
    throw usage_error(fmt::format(
        "it is packetwarp {} that runs there, which has no '{}': ask a packetwarp run, whose socket --control "
        "PATH names",
        running, word));
  }
  throw usage_error(
      fmt::format("the running packetwarp {}, version {}, knows no such command; is it of another version?", running,
                  PACKETWARP_VERSION));
}

control_server::control_server(std::string path, std::span<std::string const> eal, command_maker make,
                               line_server_limits limits)
    : make_{std::move(make)}, limits_{limits} {
  if (path == no_socket) return;
  if (!path.empty()) {
    listen(std::move(path));
    return;
  }
  try {
    try {
      listen(default_control_path(eal));
    } catch (std::exception const&) {
      // Another packetwarp has begun meanwhile: then the default is another path.
      listen(default_control_path(eal));
    }
  } catch (std::exception const& failed) {
    log().warn("{}; running without one", failed.what());
  }
}

void control_server::listen(std::string path) {
  server_ = std::make_unique<line_server>(
      std::move(path), [this](std::string_view line) { return begin(line); },
      [](std::string_view why, refused what) {
        return to_line(answer{.status = exit_failure,
                              .error = fmt::format("control socket: {}", why),
                              .result = {},
                              .again = what == refused::place});
      },
      limits_);
}

void control_server::poll() {
  if (server_) server_->poll(line_server::clock::now());
}

request_work control_server::begin(std::string_view line) {
  try {
    return guarded(make_(parse_request(line)));
  } catch (usage_error const& wrong) {
    return answer_at_once(error_line(exit_usage, wrong.what()));
  } catch (std::exception const& failed) {
    return answer_at_once(error_line(exit_failure, failed.what()));
  }
}

}  // namespace packetwarp
