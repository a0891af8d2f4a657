// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run_control.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.h"
#include "base/hang_up.h"
#include "base/log.h"
#include "cli/control/control_path.h"
#include "cli/run/flow_requests.h"
#include "cli/run/nat_requests.h"
#include "cli/run/reload.h"
#include "cli/run/worker_requests.h"

namespace packetwarp {
namespace {

constexpr std::string_view no_socket = "none";

[[nodiscard]] request_work answer_at_once(std::string line) {
  return [line = std::move(line)] { return std::optional{line}; };
}

// The same work, and what it throws as an answer.
[[nodiscard]] request_work guarded(request_work work) {
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

[[nodiscard]] translation& nat_of(network& net) {
  if (auto* const nat = net.nat()) return *nat;
  throw usage_error("the running network translates nothing: its file has no nat44");
}

using maker = request_work (*)(request const&, network&);
struct known_command {
  std::string_view name;
  maker make;
};
constexpr std::array known{
    known_command{"flow", carry_out_flow},
    known_command{"reload",
                  [](request const& asked, network& net) {
                    asked.require_known({});
                    return reload(net);
                  }},
    known_command{"workers", ask_workers},
    known_command{"workers reset", reset_workers},
    known_command{"nat sessions", [](request const& asked, network& net) { return list_sessions(asked, nat_of(net)); }},
    known_command{"nat stats", [](request const& asked, network& net) { return count_sessions(asked, nat_of(net)); }},
    known_command{"nat save", [](request const& asked, network& net) { return save_sessions(asked, nat_of(net)); }},
};

}  // namespace

run_control::run_control(std::string path, std::span<std::string const> eal, network& net) : net_{net} {
  if (path == no_socket) return;
  if (!path.empty()) {
    listen(std::move(path));
    return;
  }
  try {
    try {
      listen(default_control_path(eal));
    } catch (std::exception const&) {
      // Another one has begun meanwhile: then the default is another path.
      listen(default_control_path(eal));
    }
  } catch (std::exception const& failed) {
    log().warn("{}; running without one", failed.what());
  }
}

void run_control::listen(std::string path) {
  server_ = std::make_unique<line_server>(
      std::move(path), [this](std::string_view line) { return begin(line); },
      [](std::string_view why) { return error_line(exit_failure, fmt::format("control socket: {}", why)); });
}

void run_control::poll() {
  if (!reload_ && take_hang_up()) reload_ = guarded(reload(net_));
  if (reload_) finish_reload();
  if (server_) server_->poll(line_server::clock::now());
}

void run_control::finish_reload() {
  auto const line = reload_();
  if (!line) return;
  auto const said = parse_answer(*line);
  if (said.status == exit_success) {
    log().info("SIGHUP: {}", said.result.value("text", std::string{}));
  } else {
    log().error("SIGHUP: {}", said.error);
  }
  reload_ = nullptr;
}

request_work run_control::begin(std::string_view line) {
  try {
    return guarded(work_of(parse_request(line)));
  } catch (usage_error const& wrong) {
    return answer_at_once(error_line(exit_usage, wrong.what()));
  } catch (std::exception const& failed) {
    return answer_at_once(error_line(exit_failure, failed.what()));
  }
}

request_work run_control::work_of(request const& asked) {
  for (auto const& one : known) {
    if (one.name == asked.command) return one.make(asked, net_);
  }
  throw usage_error("the running packetwarp knows no such command; is it of another version?");
}

}  // namespace packetwarp
