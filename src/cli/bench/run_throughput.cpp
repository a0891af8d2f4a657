// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/run_throughput.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/error.h"
#include "cli/bench/run_facts.h"
#include "cli/result_file.h"
#include "file/distinct_files.h"

namespace packetwarp::bench {
namespace {

// The notes for a table's reader on the machine and the trials.
void note_circumstances(throughput_results& all) {
  constexpr auto rfc_trial = std::chrono::seconds{60};
  if (all.how.trial < rfc_trial) all.notices.emplace_back("RFC 2544 (24) has trials last 60 s: --trial 60s");
  double load = 0;
  if (::getloadavg(&load, 1) == 1 && load > 0.5) {
    all.notices.push_back(fmt::format("the machine was not idle: load average {:.1f}", load));
  }
  if (std::any_of(all.cases.begin(), all.cases.end(), [](auto const& one) { return one.what.lcores < 3; })) {
    all.notices.emplace_back("generator and data plane shared an lcore");
  }
}

}  // namespace

int run_throughput(options const& given, invocation const& call) {
  throughput_results all{.version = PACKETWARP_VERSION,
                         .commit = given.commit,
                         .started = time_now(),
                         .command = command_line_of(call),
                         .eal = given.eal,
                         .cpus = given.cpus,
                         .host = own_host(),
                         .how = given.throughput,
                         .notices = {},
                         .cases = throughput_cases(given.cases, static_cast<std::uint32_t>(given.cpus.size()))};
  note_circumstances(all);
  require_distinct_files({}, std::array{given.json, given.csv});
  require_writable(given.json, "--json");
  require_writable(given.csv, "--csv");
  auto const save = [&] {
    if (given.json != "-") result_file{given.json}.write(to_json(all));
  };
  run_setup const setup{.eal = all.eal, .cpus = all.cpus, .run_time = all.how.trial, .testpmd = {}, .machine = {}};
  bool const complete = measure_throughput(all, setup, save);
  result_file{given.json}.write(to_json(all));
  result_file{given.csv, "--csv"}.write(to_csv(all));
  if (given.json != "-" && given.csv != "-") fmt::print("{}", to_text(all));
  if (!complete) throw failure("stopped before the end; the results are there, and marked as not complete");
  require_figures(all);
  return exit_success;
}

}  // namespace packetwarp::bench
