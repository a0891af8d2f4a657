// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/throughput.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/process/stop.h"
#include "bench/child_process.h"
#include "bench/run_case.h"

namespace packetwarp::bench {
namespace {

using json = nlohmann::ordered_json;

// The case was refused, or failed before it had a report; the result gives its reason.
struct refused_case {
  case_status status;
  std::string reason;
};

// Runs the generator through the data plane: its report, or nothing if this process was asked to stop.
std::optional<std::string> report_of(std::vector<std::string> const& words, std::chrono::nanoseconds run_time) {
  child_process child{own_binary, words};
  switch (child.wait_for_end(child_process::clock::now() + run_time + run_patience)) {
    case child_process::pause::stopped:
      child.stop();
      return std::nullopt;
    case child_process::pause::late:
      throw failure(fmt::format("still running {} s after it should have ended", run_patience.count()));
    default:
      break;
  }
  auto const end = child.collect();
  // Loss is the expected outcome of a trial: it comes with a report, and status 1.
  if (!child.output().empty()) return child.output();
  auto const refused = judge_refusal(end.status, end.words, child.errors());
  throw refused_case{refused.status, refused.reason};
}

std::string describe(trial const& one) {
  auto text = fmt::format("{:.3f} Mpps offered, loss {:.4f} %", one.offered_mpps, one.loss_percent());
  if (!one.is_offered()) text += ", the generator did not keep the rate";
  return text;
}

// Searches one case; keeps its trials if the search ends early.
class case_search {
 public:
  case_search(throughput_case& of, throughput_options const& how, run_setup const& setup)
      : of_{of}, how_{how}, setup_{setup} {}

  // False if the search was stopped.
  [[nodiscard]] bool run() {
    if (!find_line()) return false;
    search_limits const within{.line_mpps = *of_.line_mpps, .resolution_percent = how_.resolution_percent};
    auto const try_rate = [&](double mpps) { return run_trial(mpps); };
    of_.no_drop = search(within, 0, of_.trials, try_rate);
    if (of_.no_drop->is_complete) {
      of_.partial_drop = search(within, how_.partial_drop_percent, of_.trials, try_rate);
    }
    bool const complete = of_.partial_drop && of_.partial_drop->is_complete;
    of_.status = complete ? case_status::ok : case_status::pending;
    return complete;
  }

 private:
  [[nodiscard]] bool find_line() {
    if (how_.line) {
      of_.line_mpps = to_mpps(*how_.line, of_.what.frame_bytes, "--line");
      return true;
    }
    auto const report = report_of(trial_command(of_.what, setup_, std::nullopt), setup_.run_time);
    if (!report) return false;
    auto const full_speed = trial_from(*report, 0, seconds());
    if (full_speed.received_mpps <= 0) throw failure("nothing came back at full speed");
    of_.line_mpps = full_speed.received_mpps;
    fmt::print(stderr, "{}: {:.3f} Mpps at full speed\n", bench::describe(of_.what), *of_.line_mpps);
    return true;
  }
  [[nodiscard]] std::optional<trial> run_trial(double mpps) {
    if (stop_requested() != stop_request::none) return std::nullopt;
    auto const report = report_of(trial_command(of_.what, setup_, mpps), setup_.run_time);
    if (!report) return std::nullopt;
    auto const made = trial_from(*report, mpps, seconds());
    fmt::print(stderr, "{}: trial {}: {}\n", bench::describe(of_.what), of_.trials.size() + 1, describe(made));
    return made;
  }

  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(setup_.run_time).count(); }

  throughput_case& of_;
  throughput_options const& how_;
  run_setup const& setup_;
};

// Trials that went wrong give no rate.
void end_without(throughput_case& one, refused_case const& why) {
  one.status = why.status;
  one.reason = why.reason;
  one.no_drop.reset();
  one.partial_drop.reset();
  fmt::print(stderr, "{}: {}: {}\n", bench::describe(one.what), to_string(why.status), why.reason);
}

}  // namespace

std::vector<throughput_case> throughput_cases(matrix what, std::uint32_t lcores) {
  // A case at an offered rate has one more lcore; the rate itself does not matter.
  what.offered = {{.value = 1e6, .in = rate::unit::packets_per_second}};
  std::vector<throughput_case> all;
  for (auto& one : cases_of(what, lcores)) {
    if (!one.offered_mpps) continue;
    one.offered_mpps.reset();
    all.push_back({.what = std::move(one)});
  }
  return all;
}

trial trial_from(std::string const& report, double offered_mpps, double seconds) {
  try {
    auto const said = json::parse(report);
    for (auto const* flaw : {"corrupted", "duplicates"}) {
      if (auto const packets = said.at(flaw).get<std::uint64_t>(); packets != 0) {
        throw failure(fmt::format("{} packets: {}", flaw, packets));
      }
    }
    trial made{.offered_mpps = offered_mpps,
               .sent = said.at("sent").at("packets"),
               .received = said.at("received").at("packets"),
               .lost = said.at("lost"),
               .seconds = seconds};
    if (auto const& reached = said.at("received").at("mpps"); !reached.is_null()) made.received_mpps = reached;
    if (auto const& l = said.at("latency_us"); !l.is_null()) made.latency_us = {l.at("p50"), l.at("p99"), l.at("p999")};
    return made;
  } catch (json::exception const& wrong) {
    throw failure(fmt::format("its report cannot be read: {}", wrong.what()));
  }
}

bool measure_throughput(throughput_results& all, run_setup const& setup, std::function<void()> const& after_each) {
  for (auto& one : all.cases) {
    if (stop_requested() != stop_request::none) return false;
    try {
      if (!case_search{one, all.how, setup}.run()) return false;
    } catch (refused_case const& why) {
      end_without(one, why);
    } catch (failure const& why) {
      end_without(one, {case_status::failed, why.what()});
    }
    after_each();
  }
  return true;
}

void require_figures(throughput_results const& all) {
  auto const has_rate = [](auto const& one) { return one.no_drop.has_value() || one.partial_drop.has_value(); };
  if (all.cases.empty() || std::ranges::any_of(all.cases, has_rate)) return;
  throw failure(fmt::format("no case has a rate; the first was {}: {}", to_string(all.cases.front().status),
                            all.cases.front().reason));
}

}  // namespace packetwarp::bench
