// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/options.h"

#include <unistd.h>

#include <map>
#include <optional>
#include <string>

#include "cli/gpu_fault_option.h"
#include "cli/option_values.h"
#include "cli/replay_option.h"
#include "module/modules.h"

namespace packetwarp {

namespace {

// The options as typed.
struct run_words {
  std::optional<std::string> config, gpu_fault, duration, until_idle, stats_period, report_age;
  std::map<module_option const*, std::optional<std::string>> modules;
  std::vector<std::string> replays;
  bool keeps_privileges{};
  bool watches{};

  void declare(CLI::App& app, run_options& options) {
    app.add_option("-c,--config", config);
    for (auto const* const kind : module_kinds()) {
      for (auto const& one : kind->facts().options) app.add_option(std::string{one.name}, modules[&one]);
    }
    app.add_option("--duration", duration);
    app.add_option("--until-idle", until_idle);
    app.add_option("--stats-period", stats_period);
    app.add_option("--replay", replays)->allow_extra_args(false);
    app.add_option("--inject-gpu-fault", gpu_fault);
    app.add_option("--json", options.json);
    app.add_option("--control", options.control);
    app.add_option("--metrics", options.observers.metrics);
    app.add_option("--event-log", options.observers.event_log);
    app.add_option("--report-age", report_age);
    app.add_flag("--keep-privileges", keeps_privileges);
    app.add_flag("--watch", watches);
  }
};

}  // namespace

std::optional<misplaced_word> find_misplaced_in_file(std::span<std::string const> eal) {
  run_words words;
  run_options options;
  CLI::App app;
  words.declare(app, options);
  app.set_help_flag();
  return find_misplaced(app, eal);
}

run_options parse_run_options(invocation const& call) {
  run_words words;
  run_options options;
  CLI::App app;
  words.declare(app, options);
  parse_options(app, call);
  auto const& [config, gpu_fault, duration, until_idle, stats_period, report_age, modules, replays, keeps_privileges,
               watches] = words;
  if (!config || config->empty()) throw usage_error("-c: give the file that describes the network: run -c FILE");
  options.config = *config;
  if (keeps_privileges) options.rights = privileges::kept;
  if (watches) options.file_changes = on_file_change::reload;
  require_listen_address(options.observers.metrics);
  for (auto const& [option, word] : modules) {
    if (word) options.modules.emplace_back(option, *word);
  }
  options.replays = parse_replays(replays);
  options.breaks_gpu = gpu_fault.has_value();
  if (gpu_fault) take_gpu_fault(*gpu_fault, options.gpu);
  take_duration(duration, "--duration", options.limits.duration);
  take_duration(until_idle, "--until-idle", options.limits.until_idle);
  if (::isatty(STDERR_FILENO) != 0) options.limits.stats_period = std::chrono::seconds{1};
  take_duration(stats_period, "--stats-period", options.limits.stats_period);
  take_report_age(report_age, options.observers);
  return options;
}

}  // namespace packetwarp
