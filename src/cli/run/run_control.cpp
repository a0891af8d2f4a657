// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run_control.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log/log.h"
#include "base/process/hang_up.h"
#include "base/units.h"
#include "cli/capture/capture_requests.h"
#include "cli/control/report_request.h"
#include "cli/control/request_limits.h"
#include "cli/run/reload.h"
#include "cli/run/show/show.h"
#include "cli/run/worker_requests.h"
#include "module/modules.h"

namespace packetwarp {
namespace {

using maker = request_work (*)(request const&, network&);
struct known_command {
  std::string_view name;
  maker make;
};
// The names of interfaces, in their order.
[[nodiscard]] std::vector<std::string> interface_names(network const& net) {
  std::vector<std::string> names;
  for (auto const& one : net.config().interfaces) names.push_back(one.name);
  return names;
}

constexpr std::array known{
    known_command{"capture",
                  [](request const& asked, network& net) {
                    return carry_out_capture(asked, net.captures(), net.plane(),
                                             {.aliases = interface_names(net), .files = net.own_files()});
                  }},
    known_command{"workers", ask_workers},
    known_command{"workers reset", reset_workers},
};

// The work of a module's command; none for other requests.
[[nodiscard]] request_work module_work(request const& asked, network& net) {
  for (auto const* const kind : module_kinds()) {
    for (auto const& one : kind->facts().commands) {
      if (one.name != asked.command) continue;
      auto* const of = net.find(kind->name());
      if (of == nullptr) throw usage_error(std::string{one.absent});
      return one.make(asked, *of, net);
    }
  }
  return nullptr;
}

}  // namespace

run_control::run_control(std::string path, std::span<std::string const> eal, network& net, supervisor const& watches,
                         yaml_place file, telemetry::report_board& board, telemetry::event_log& events)
    : net_{net},
      watches_{watches},
      in_force_{file},
      board_{board},
      reports_{board},
      events_{events},
      server_{std::move(path), eal, [this](request const& asked) { return work_of(asked); },
              request_limits(net.plane().planned())},
      leaving_{net.plane()} {}

void run_control::poll() {
  if (!reload_) begin_reload();
  if (reload_) finish_reload();
  server_.poll();
}

void run_control::end() {
  constexpr std::chrono::milliseconds pause{1};
  constexpr std::chrono::seconds most{1};
  is_over_ = true;
  auto const until = std::chrono::steady_clock::now() + most;
  while (reloads_.use_count() > 1 && std::chrono::steady_clock::now() < until) {
    if (reload_) finish_reload();
    server_.poll();
    std::this_thread::sleep_for(pause);
  }
}

void run_control::begin_reload() {
  if (take_hang_up()) {
    reload_by_ = "SIGHUP";
    reload_ = recorded_reload("signal");
  } else if (watch_ && watch_->take_change()) {
    reload_by_ = "--watch";
    reload_ = recorded_reload("file");
  }
}

request_work run_control::drain(request const& asked) {
  constexpr std::chrono::seconds usual{25};
  constexpr std::chrono::hours most{24};
  asked.require_known({"within", "announced"});
  auto const announced = asked.find("announced");
  if (announced && *announced != "keep") throw usage_error(fmt::format("announced: '{}' is not keep", *announced));
  auto const text = asked.find("within");
  auto const within = text ? parse_duration(*text, "--within") : usual;
  if (within > most) throw usage_error(fmt::format("--within: '{}' is longer than 24h", *text));
  net_.drain(announced ? announced_routes::kept : announced_routes::withdrawn);
  leaving_.begin(within, now_cycles());
  board_.expire();  // readers see the drain at once
  auto const line = fmt::format("it ends once no packet has left for a second, or after {}",
                                format_duration(static_cast<double>(within.count())));
  log().info("draining: {}", line);
  events_.write("draining", {{"within_seconds", std::chrono::duration<double>(within).count()}});
  return [answer = success_line({{"text", line}})] { return std::optional{answer}; };
}

// The result of a reload is an event.
request_work run_control::recorded_reload(std::string by) {
  return [this, by = std::move(by), counted = reloads_,
          work = guarded(reload(net_, in_force_, [this] { return is_over_; }))] {
    auto line = work();
    if (!line) return line;
    auto const said = parse_answer(*line);
    bool const is_done = said.status == exit_success;
    events_.write(is_done ? "reload_done" : "reload_refused",
                  {{"by", by}, {"text", is_done ? said.result.value("text", std::string{}) : said.error}});
    // The client may leave before it reads the answer. Other reloads are logged by finish_reload().
    if (!is_done && is_over_ && !reload_) log().error("{}: {}", by, said.error);
    return line;
  };
}

void run_control::finish_reload() {
  auto const line = reload_();
  if (!line) return;
  auto const said = parse_answer(*line);
  if (said.status == exit_success) {
    log().info("{}: {}", reload_by_, said.result.value("text", std::string{}));
  } else {
    log().error("{}: {}", reload_by_, said.error);
  }
  reload_ = nullptr;
}

request_work run_control::work_of(request const& asked) {
  if (asked.command == "reload") {
    asked.require_known({});
    return recorded_reload("control socket");
  }
  if (asked.command == "drain") return drain(asked);
  if (asked.command == "report") return reports_.answer(asked);
  if (auto work = module_work(asked, net_)) return work;
  if (auto shown = show_noun(asked, net_, watches_)) return shown;
  for (auto const& one : known) {
    if (one.name == asked.command) return one.make(asked, net_);
  }
  refuse_command(asked, "run");
}

}  // namespace packetwarp
