// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "base/process/standard_error.h"
#include "cli/ask/ask.h"
#include "cli/capture/capture_requests.h"
#include "cli/capture/own_files.h"
#include "cli/command.h"
#include "cli/control/control_server.h"
#include "cli/control/report_request.h"
#include "cli/control/request_limits.h"
#include "cli/drop_privileges.h"
#include "cli/eal_start.h"
#include "cli/judge.h"
#include "cli/l2fwd/options.h"
#include "cli/replay_option.h"
#include "cli/result_file.h"
#include "cli/run_observers.h"
#include "master/capture_service.h"
#include "master/report.h"
#include "port/pdump_server.h"

namespace packetwarp {

namespace {

// The master of l2fwd: requests, captures, reports and supervision in turn.
class l2fwd_master final : public workforce::master {
 public:
  l2fwd_master(control_server& requests, capture_service& captures, run_reporter const& reporter,
               run_observers& observers, supervisor& watches)
      : requests_{requests}, captures_{captures}, reporter_{reporter}, observers_{observers}, watches_{watches} {}
  [[nodiscard]] run_phase supervise(cycles now) override {
    requests_.poll();
    captures_.poll(now);
    observers_.look();
    if (observers_.board().is_asked_for()) observers_.post(reporter_.now());
    return watches_.supervise(now);
  }

 private:
  control_server& requests_;
  capture_service& captures_;
  run_reporter const& reporter_;
  run_observers& observers_;
  supervisor& watches_;
};

[[nodiscard]] request_work work_of(request const& asked, report_answers& reports, capture_service& captures,
                                   data_plane const& plane, std::vector<std::string> const& files) {
  if (asked.command == "report") return reports.answer(asked);
  if (asked.command == "capture") return carry_out_capture(asked, captures, plane, {.aliases = {}, .files = files});
  refuse_command(asked, "l2fwd", words_of_networks());
}

}  // namespace

int run_l2fwd(invocation const& call) {
  survive_broken_pipes();
  auto options = parse_l2fwd_options(call);
  read_replays(options.plane);
  std::vector<std::string> read;
  for (auto const& one : options.plane.replays) read.push_back(one.file);
  require_distinct_from_captures(read, {options.json, options.observers.event_log}, call.eal);
  result_file result{options.json};
  auto const eal = start_eal(call);
  pdump_server const dumps{eal->sharing()};
  data_plane plane{make_plan(options.plane, read_machine(options.plane.executor))};
  cycles const began = now_cycles();
  supervisor watches{plane, options.limits, [&](measurement const& period) {
                       (void)the_standard_error().put(telemetry::live_line(make_live_period(period, began)) + '\n');
                     }};
  run_reporter const reporter{call.command, plane, watches};
  run_observers observers{options.observers, call.command, plane, watches};
  capture_service captures{plane};
  report_answers reports{observers.board()};
  auto const files =
      files_of_command({.json = options.json, .control = options.control, .event_log = options.observers.event_log},
                       options.plane.replays, call.eal);
  control_server requests{options.control, call.eal,
                          [&](request const& asked) { return work_of(asked, reports, captures, plane, files); },
                          request_limits(plane.planned())};
  settle_privileges(options.rights, plane.planned(),
                    {.read = {}, .written = {options.json, options.control, options.observers.event_log}});
  l2fwd_master master{requests, captures, reporter, observers, watches};
  plane.run(master, std::chrono::seconds{2});
  captures.finish();
  auto report = reporter.at_end();
  observers.end(report);
  auto const status = judge(report, watches.cause(), call.eal);
  return std::max(status, write_results(result, telemetry::to_json(report), telemetry::to_text(report)));
}

}  // namespace packetwarp
