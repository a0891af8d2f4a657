// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/run_case.h"

#include <fmt/format.h>

#include "base/error.h"
#include "bench/child_process.h"

namespace packetwarp::bench {
namespace {

using json = nlohmann::ordered_json;

attempt failed(std::string reason) { return {.status = case_status::failed, .reason = std::move(reason)}; }

std::uint64_t sum_of(json const& drops) {
  std::uint64_t sum = 0;
  for (auto const& [name, packets] : drops.items()) sum += packets.get<std::uint64_t>();
  return sum;
}

void take_latency(json const& report, figures& into) {
  auto const& latency = report.at("latency_us");
  if (!latency.is_null()) into.latency_us = {latency.at("p50"), latency.at("p99"), latency.at("p999")};
}

// Empty if the report belongs to the requested case and accounts for every packet.
std::string wrong_with(json const& report, parameters const& what) {
  auto const& packets = report.at("packets");
  auto const rx = packets.at("rx").get<std::uint64_t>();
  auto const accounted = packets.at("tx").get<std::uint64_t>() + packets.at("punted").get<std::uint64_t>() +
                         packets.at("in_flight").get<std::uint64_t>() + sum_of(packets.at("dropped"));
  if (rx != accounted) return fmt::format("{} packets came in and {} are accounted for", rx, accounted);
  for (auto const& [key, asked] : {std::pair{"executor", std::string{to_string(what.executor)}},
                                   std::pair{"placement", std::string{to_string(what.where)}}}) {
    if (report.at(key) != asked) {
      return fmt::format("it ran with {} {} and not {}", key, report.at(key).get<std::string>(), asked);
    }
  }
  if (report.at("ended_by") != "duration") return "it was ended by " + report.at("ended_by").get<std::string>();
  return report.at("mpps").get<double>() > 0 ? "" : std::string{nothing_measured};
}

template <class Judge>
attempt judged(std::string const& report, Judge judge) {
  try {
    return judge(json::parse(report));
  } catch (json::exception const& wrong) {
    return failed(fmt::format("its report cannot be read: {}", wrong.what()));
  }
}

}  // namespace

std::string last_words(std::string_view text) {
  constexpr std::string_view mark = "packetwarp: error: ";
  std::string last, error;
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    auto const line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with(mark)) error = line.substr(mark.size());
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) last = line;
  }
  if (!error.empty()) return error;
  return last.empty() ? "it said nothing" : last;
}

attempt judge_forwarding(parameters const& what, std::string const& report) {
  return judged(report, [&](json const& said) {
    if (auto wrong = wrong_with(said, what); !wrong.empty()) return failed(std::move(wrong));
    attempt made{.status = case_status::ok,
                 .measured = {.mpps = said.at("mpps"), .gbps_l1 = said.at("gbps_l1"), .gbps_l2 = said.at("gbps_l2")},
                 .host = said.at("host"),
                 .notices = said.at("notices")};
    take_latency(said, made.measured);
    return made;
  });
}

attempt judge_generated(parameters const&, std::string const& report) {
  return judged(report, [&](json const& said) {
    if (!said.at("flawless").get<bool>()) {
      return failed(fmt::format("of {} packets sent {} were lost, {} duplicated, {} reordered, {} corrupted",
                                said.at("sent").at("packets").get<std::uint64_t>(), said.at("lost").dump(),
                                said.at("duplicates").dump(), said.at("reordered").dump(),
                                said.at("corrupted").dump()));
    }
    if (said.at("ended_by") != "duration") return failed("it was ended by " + said.at("ended_by").get<std::string>());
    auto const& received = said.at("received");
    if (received.at("mpps").is_null()) return failed("nothing came back");
    attempt made{
        .status = case_status::ok,
        .measured = {
            .mpps = received.at("mpps"), .gbps_l1 = received.at("gbps_l1"), .gbps_l2 = received.at("gbps_l2")}};
    take_latency(said, made.measured);
    return made;
  });
}

attempt judge_refusal(int exit_status, std::string const& how, std::string const& errors) {
  if (exit_status == exit_usage) return {.status = case_status::unsupported, .reason = last_words(errors)};
  return failed(fmt::format("{}: {}", how, last_words(errors)));
}

attempt run_once(parameters const& what, run_setup const& setup) {
  child_process child{own_binary, command_of(what, setup)};
  switch (child.wait_for_end(child_process::clock::now() + setup.run_time + run_patience)) {
    case child_process::pause::stopped:
      child.stop();
      return {};
    case child_process::pause::late:
      return failed(fmt::format("still running {} s after it should have ended", run_patience.count()));
    default:
      break;
  }
  auto const end = child.collect();
  // An exchange with packet errors has a report that describes them, and status 1.
  if (end.status != exit_success && child.output().empty()) {
    auto refused = judge_refusal(end.status, end.words, child.errors());
    // The reason is the same, whichever program reports it.
    auto const teller = fmt::format("--through \"{}\": ", plane_words(what));
    if (refused.reason.starts_with(teller)) refused.reason.erase(0, teller.size());
    return refused;
  }
  auto made = what.offered_mpps ? judge_generated(what, child.output()) : judge_forwarding(what, child.output());
  if (made.status == case_status::ok && end.status != exit_success)
    return failed(end.words + ": " + last_words(child.errors()));
  return made;
}

}  // namespace packetwarp::bench
