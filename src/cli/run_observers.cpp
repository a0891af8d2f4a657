// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run_observers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/process/standard_error.h"
#include "cli/option_values.h"

namespace packetwarp {
namespace {

using json = nlohmann::ordered_json;

// The longest wait at the end of a run for a disk or a reader that takes nothing.
constexpr std::chrono::seconds log_patience{1};

[[nodiscard]] json started(std::string const& command, plan const& planned) {
  auto ports = json::array();
  for (auto const& p : planned.ports) {
    ports.push_back({{"id", p.facts.id.value()}, {"name", p.facts.name}, {"driver", p.facts.driver}});
  }
  auto workers = json::array();
  for (auto const& w : planned.workers) {
    workers.push_back({{"lcore", w.lcore.id.value()}, {"cpus", w.lcore.cpus}, {"role", w.role}});
  }
  return {{"command", command},
          {"version", PACKETWARP_VERSION},
          {"executor", to_string(planned.config.executor)},
          {"placement", to_string(planned.config.where)},
          {"burst", planned.config.burst},
          {"pipelines", planned.pipelines.size()},
          {"ports", std::move(ports)},
          {"workers", std::move(workers)}};
}

[[nodiscard]] std::string_view name_of(port_event what) {
  switch (what) {
    case port_event::lost:
      return "port_lost";
    case port_event::removed:
      return "port_removed";
    case port_event::given_back:
      return "port_given_back";
    case port_event::restarted:
      return "port_restarted";
    case port_event::link_up:
      return "link_up";
    case port_event::link_down:
      return "link_down";
  }
  return "unknown";
}

}  // namespace

void take_report_age(std::optional<std::string> const& text, observer_options& into) {
  constexpr std::chrono::milliseconds least{1};
  constexpr std::chrono::minutes most{1};
  take_duration(text, "--report-age", into.report_age);
  if (into.report_age < least || into.report_age > most) {
    throw usage_error(fmt::format("--report-age: '{}' is not between 1ms and 1m", text.value_or("")));
  }
}

run_observers::run_observers(observer_options const& options, std::string const& command, data_plane const& plane,
                             supervisor& watches)
    : plane_{plane},
      events_{options.event_log},
      board_{options.report_age},
      commands_{board_},
      endpoint_{options, board_} {
  watch_log("stderr", [] { return std::optional{the_standard_error().counts()}; });
  watch_log("events", [this] { return events_.counts(); });
  events_.write("started", started(command, plane.planned()));
  for (auto const& notice : plane.planned().notices) events_.write("notice", {{"text", notice}});
  watches.tell([this](port_event what, port_facts const& of) {
    events_.write(name_of(what), {{"port", of.id.value()}, {"name", of.name}});
  });
}

void run_observers::post(telemetry::run_report report) {
  add_logs(report);
  board_.post(std::move(report), telemetry::report_board::clock::now());
}

void run_observers::add_logs(telemetry::run_report& to) const {
  for (auto const& log : logs_) {
    if (auto const counts = log.counts()) to.logs.push_back({log.name, counts->written, counts->lost});
  }
}

// The period is short enough to be noticed, and long enough not to fill the log of events by itself.
void run_observers::tell_of_lost_lines() {
  constexpr std::chrono::seconds period{1};
  auto const now = telemetry::report_board::clock::now();
  if (now - told_ < period) return;
  told_ = now;
  for (auto& log : logs_) {
    auto const counts = log.counts().value_or(log_counts{});
    if (std::exchange(log.lost, counts.lost) == counts.lost) continue;
    events_.write("log_lines_lost", {{"log", log.name}, {"lost", counts.lost}, {"written", counts.written}});
  }
}

void run_observers::tell_of_twins() {
  for (auto const* const link : plane_.twin_links()) {
    if (link != nullptr) tell_of(*link);
  }
}

void run_observers::tell_of(twin_link const& twin) {
  auto& told = twins_[&twin];
  auto const write = [&](std::string_view event) {
    events_.write(event, {{"port", twin.config().port.value()}, {"name", twin.config().interface}});
  };
  if (std::exchange(told.downs, twin.downs()) != told.downs) {
    told.is_down = true;
    write("kernel_interface_down");
  }
  bool const is_gone = twin.is_gone();
  if (told.is_down && !is_gone && !twin.is_down()) {
    told.is_down = false;
    write("kernel_interface_up");
  }
  if (is_gone && !std::exchange(told.is_gone, true)) write("kernel_interface_lost");
}

void run_observers::look() {
  tell_of_lost_lines();
  tell_of_twins();
  auto const failed = plane_.failed_over();
  if (failed == failed_over_) return;
  failed_over_ = failed;
  events_.write("gpu_failed_over", {{"pipelines", failed}, {"of", plane_.pipelines().size()}});
}

void run_observers::end(telemetry::run_report& report) {
  told_ = {};
  look();
  auto const& packets = report.packets;
  events_.write("ended", {{"cause", report.ended_by},
                          {"elapsed_seconds", report.elapsed_seconds},
                          {"rx", packets.rx},
                          {"tx", packets.tx},
                          {"punted", packets.punted},
                          {"in_flight", packets.in_flight},
                          {"dropped", telemetry::total(packets.dropped)},
                          {"conserved", packets.conserved()}});
  events_.finish(log_patience);
  add_logs(report);
  board_.close(report);
}

}  // namespace packetwarp
