// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <span>

#include "base/error.h"
#include "base/log/log.h"
#include "base/process/hang_up.h"
#include "base/process/standard_error.h"
#include "cli/capture/own_files.h"
#include "cli/command.h"
#include "cli/drop_privileges.h"
#include "cli/judge.h"
#include "cli/replay_option.h"
#include "cli/result_file.h"
#include "cli/run/eal_section.h"
#include "cli/run/file/network_file.h"
#include "cli/run/options.h"
#include "cli/run/run_control.h"
#include "cli/run_observers.h"
#include "file/distinct_files.h"
#include "master/report.h"
#include "module/modules.h"
#include "network/kernel_forwarding.h"
#include "network/network.h"
#include "network/network_reporter.h"
#include "port/pdump_server.h"

namespace packetwarp {
namespace {

// The master of a network: runs control plane, requests, reports and supervision in turn.
class network_master final : public workforce::master {
 public:
  network_master(network& net, run_control& requests, network_reporter& reporter, run_observers& observers,
                 supervisor& watches)
      : net_{net}, requests_{requests}, reporter_{reporter}, observers_{observers}, watches_{watches} {}
  [[nodiscard]] run_phase supervise(cycles now) override {
    net_.work(now, phase_);
    requests_.poll();
    observers_.look();
    if (observers_.board().is_asked_for()) report();
    if (requests_.leaving().is_over(now)) watches_.finish();
    return phase_ = watches_.supervise(now);
  }
  [[nodiscard]] std::chrono::nanoseconds rest() const override { return net_.rest(); }

 private:
  void report() {
    auto made = reporter_.step();
    if (!made) return;
    if (requests_.leaving().has_begun()) made->phase = "draining";
    observers_.post(std::move(*made));
  }

  network& net_;
  run_control& requests_;
  network_reporter& reporter_;
  run_observers& observers_;
  supervisor& watches_;
  run_phase phase_{run_phase::running};
};

// Files that a reload reads, and files that are written until the end.
[[nodiscard]] files_used_later files_of(network_config const& config, run_options const& options,
                                        std::string const& control, observer_options const& observed) {
  module_files files{.read = {config.file}, .written = {options.json, control, observed.event_log}};
  for (auto const* const kind : module_kinds()) kind->add_files(config, files);
  return {.read = std::move(files.read), .written = std::move(files.written)};
}

// An error is told by the place of the written file's name, unless an option gives the name.
void require_distinct(files_used_later const& files, run_options const& options, std::span<std::string const> eal,
                      yaml_place const& root) {
  auto read = files.read;
  for (auto const& one : options.replays) read.push_back(one.file);
  try {
    require_distinct_from_captures(read, files.written, eal);
  } catch (shared_file const& wrong) {
    std::array const typed{options.json, options.control, options.observers.event_log};
    bool const is_typed = std::ranges::find(typed, wrong.written()) != typed.end();
    if (auto const place = is_typed ? std::nullopt : root.find_text(wrong.written())) place->refuse(wrong.what());
    throw;
  }
}

// Options may follow the command directly: the EAL's options are in the file then.
[[nodiscard]] invocation with_options_only(invocation call) {
  if (call.options.empty()) std::swap(call.options, call.eal);
  return call;
}

// Saves the state that outlives the process, whatever becomes of its results. Without the state, routers shall not go
// on sending packets here. Returns the exit status.
[[nodiscard]] int save(network& net) {
  try {
    net.save();
    net.keep_twins();
    return exit_success;
  } catch (failure const& wrong) {
    log().error("{}", wrong.what());
    return exit_failure;
  }
}

int forward_until_end(invocation const& given) {
  survive_broken_pipes();
  install_hang_up_signal();  // from the first moment on: a reload that is asked for during the start follows it
  auto const typed = with_options_only(given);
  auto const options = parse_run_options(typed);
  auto const mark = mark_of(options.config);
  auto file = read_network_file(options.config, require_no_stop);
  auto const network_words = with_eal_of(file, typed);
  auto const& call = network_words.call;
  auto& config = file.network;
  for (auto const& [option, word] : options.modules) option->apply(word, config);
  if (options.breaks_gpu) {
    if (!needs_gpu(config.plane.executor)) {
      throw usage_error(
          fmt::format("--inject-gpu-fault: {} asks for executor {}; it is for kernel, persistent and graph",
                      config.file, to_string(config.plane.executor)));
    }
    config.plane.gpu.fault = options.gpu.fault;
    config.plane.gpu.fault_after = options.gpu.fault_after;
    config.plane.gpu.fault_gpu = options.gpu.fault_gpu;
  }
  config.plane.replays = options.replays;
  read_replays(config.plane);
  auto const control = options.control.empty() ? file.control : options.control;
  auto observed = options.observers;
  if (observed.metrics.empty()) {
    observed.metrics = file.observers.metrics;
    observed.metrics_place = file.observers.metrics_place;
  }
  if (observed.event_log.empty()) observed.event_log = file.observers.event_log;
  require_distinct(files_of(config, options, control, observed), options, call.eal, file.root);
  result_file result{options.json};
  auto const eal = start_eal(network_words);
  pdump_server const dumps{eal->sharing()};
  auto const machine = read_machine(config.plane.executor);
  network net{std::move(config), machine};
  for (auto const& line : forwarded_by_the_kernel(net.config(), net.plane().planned())) log().warn("{}", line);
  net.set_files_of_command(files_of_command({.json = options.json, .control = control, .event_log = observed.event_log},
                                            options.replays, call.eal));
  cycles const began = now_cycles();
  supervisor watches{net.plane(), options.limits, [&](measurement const& period) {
                       (void)the_standard_error().put(telemetry::live_line(make_live_period(period, began)) + '\n');
                     }};
  network_reporter reporter{call.command, net, watches};
  run_observers observers{observed, call.command, net.plane(), watches};
  watches.tell([&net](port_event what, port_facts const& of) {
    if (what == port_event::link_up) net.link_came_up(of.id);
  });
  for (auto const& one : net.modules()) {
    observers.watch_log(std::string{one->name()}, [of = one.get()] { return of->log_lines(); });
  }
  run_control requests{control, call.eal, net, watches, file.root, observers.board(), observers.events()};
  if (options.file_changes == on_file_change::reload) requests.watch_file(mark);
  settle_privileges(options.rights, net.plane().planned(), files_of(net.config(), options, control, observed));
  network_master master{net, requests, reporter, observers, watches};
  net.plane().run(master, std::chrono::seconds{2});
  requests.end();
  net.give_up();
  auto report = reporter.at_end();
  observers.end(report);
  auto status = judge(report, watches.cause(), call.eal);
  status = std::max(status, save(net));
  return std::max(status, write_results(result, telemetry::to_json(report), telemetry::to_text(report)));
}

}  // namespace

// A run that is ended before it begins is no failure: a supervisor would begin it again.
int run_network(invocation const& given) {
  try {
    return forward_until_end(given);
  } catch (abandoned const& why) {
    log().info("{}", why.what());
    return exit_success;
  }
}

}  // namespace packetwarp
