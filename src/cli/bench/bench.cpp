// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "base/log/log.h"
#include "bench/eal_options.h"
#include "bench/measure.h"
#include "bench/testpmd.h"
#include "cli/bench/options.h"
#include "cli/bench/run_facts.h"
#include "cli/bench/run_throughput.h"
#include "cli/result_file.h"
#include "file/distinct_files.h"
#include "gpu/gpu.h"

namespace packetwarp {
namespace {

using namespace bench;

results new_results(options const& given, invocation const& call) {
  results made{.version = PACKETWARP_VERSION,
               .commit = given.commit,
               .started = time_now(),
               .command = command_line_of(call),
               .eal = given.eal,
               .cpus = given.cpus,
               .host = own_host(),
               .seconds = std::chrono::duration<double>(given.run_time).count(),
               .repeats = given.repeats};
  for (auto const& what : cases_of(given.cases, static_cast<std::uint32_t>(given.cpus.size()))) {
    made.cases.push_back({.what = what});
  }
  return made;
}

// The content of a result file whose measurement goes on here.
results resumed_results(options const& given, invocation const& call) {
  auto then = read_results(given.resume);
  auto now = new_results(given, call);
  for (auto const& gpu : find_gpus()) now.host["gpus"].push_back({{"index", gpu.index}, {"name", gpu.name}});
  if (auto const other = difference(then, now); !other.empty()) {
    throw usage_error(
        fmt::format("--resume: {} was measured with {}; figures of both do not belong beside each other: "
                    "measure anew into another file",
                    given.resume, other));
  }
  make_pending(then);
  return then;
}

// The name or path of testpmd, or nothing; adds the runs of testpmd, or a notice if it is missing.
std::string take_testpmd(options const& given, results& all) {
  auto const path = given.testpmd.empty() ? "" : find_program(given.testpmd);
  if (path.empty() && given.testpmd.find('/') != std::string::npos) {
    throw usage_error(fmt::format("--testpmd: {} is no program; give its path, or none", given.testpmd));
  }
  if (path.empty() || find_program("stdbuf").empty()) {
    std::erase_if(all.peers, [](auto const& one) { return one.status == case_status::pending; });
    if (given.testpmd.empty()) return {};
    add_notice(all, path.empty()
                        ? fmt::format("{} is not installed: nothing of DPDK's own stands beside", given.testpmd)
                        : "stdbuf (coreutils) is not installed: without it testpmd cannot be followed");
    return {};
  }
  if (given.resume.empty()) {
    std::vector<parameters> cases;
    for (auto const& one : all.cases) cases.push_back(one.what);
    for (auto const& what : peers_of(cases)) all.peers.push_back({.what = what});
  }
  // testpmd is found by its name: results need not say where this machine keeps it.
  return given.testpmd;
}

void note_circumstances(results& all) {
  double load = 0;
  if (::getloadavg(&load, 1) == 1 && load > 0.5) {
    add_notice(all, fmt::format("the machine was not idle: load average {:.1f}", load));
  }
  auto const shares = [](auto const& one) { return one.what.offered_mpps && one.what.lcores < 3; };
  if (std::any_of(all.cases.begin(), all.cases.end(), shares)) {
    add_notice(all,
               "at an offered rate, generator and data plane shared an lcore: latency includes the generator's loop "
               "iterations");
  }
}

void print_plan(results const& all) {
  auto const steps = missing_steps(all);
  for (auto const& one : all.cases) {
    fmt::print("{}, {} lcore{}\n", describe(one.what), one.what.lcores, one.what.lcores == 1 ? "" : "s");
  }
  fmt::print("\n{} cases, {} of testpmd beside them; {} runs of {:g} s, about {}\n", all.cases.size(), all.peers.size(),
             steps.size(), all.seconds, describe_seconds(seconds_of(steps, all, usual_overhead)));
}

void write_files(options const& given, results const& all) {
  result_file{given.json}.write(to_json(all));
  result_file{given.csv, "--csv"}.write(to_csv(all));
}

// Throws failure if it was stopped before its end; the results so far have been written and shown.
void run_all(options const& given, results& all, run_setup const& setup) {
  auto const shows_itself = [](std::string const& path) { return path.empty() || path == "-"; };
  auto const save = [&] {
    if (!shows_itself(given.json)) result_file{given.json}.write(to_json(all));
  };
  require_distinct_files({}, std::array{given.json, given.csv});
  save();  // a file that cannot be written is known before the first measurement
  require_writable(given.csv, "--csv");
  for (auto const& notice : all.notices) log().warn("{}", notice);
  auto const steps = missing_steps(all);
  fmt::print(stderr, "{} runs, about {}\n", steps.size(), describe_seconds(seconds_of(steps, all, usual_overhead)));
  bool const complete = measure(all, setup, save);
  write_files(given, all);
  if (given.json != "-" && given.csv != "-" && given.what != task::advise) fmt::print("{}", to_text(all));
  if (complete) return;
  auto const left = missing_steps(all).size();
  throw failure(shows_itself(given.json)
                    ? fmt::format("stopped with {} runs to go; with --json FILE it could be resumed", left)
                    : fmt::format("stopped with {} runs to go; go on with: packetwarp bench -- --resume {}{}", left,
                                  given.json, all.commit == "unknown" ? "" : " --commit " + all.commit));
}

int print_advice(results const& all, demand const& wanted) {
  auto const given = advise(all, wanted);
  fmt::print("{}", to_text(given, wanted));
  return given.is_possible() ? exit_success : exit_failure;
}

}  // namespace

int run_bench(invocation const& call) {
  auto const given = bench::parse_options(call, allowed_cpus());
  if (given.what == task::throughput) return run_throughput(given, call);
  if (!given.from.empty()) return print_advice(read_results(given.from), given.wanted);
  auto all = given.resume.empty() ? new_results(given, call) : resumed_results(given, call);
  run_setup setup{.eal = all.eal,
                  .cpus = all.cpus,
                  .run_time = std::chrono::nanoseconds{std::llround(all.seconds * 1e9)},
                  .testpmd = take_testpmd(given, all),
                  .machine = read_eal_machine()};
  if (given.what == task::list) {
    print_plan(all);
    return exit_success;
  }
  note_circumstances(all);
  run_all(given, all, setup);
  if (given.what == task::advise) return print_advice(all, given.wanted);
  require_figures(all);
  return exit_success;
}

}  // namespace packetwarp
