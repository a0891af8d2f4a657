// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "bench/results/json_parts.h"
#include "bench/throughput.h"
#include "telemetry/text_table.h"
#include "telemetry/traffic.h"

// The output of the search for throughput: a table for people, JSON with every trial, CSV with a line per trial.
namespace packetwarp::bench {
namespace {

using json = nlohmann::ordered_json;
using telemetry::text_table;

double l1_gbps(double mpps, std::uint32_t frame_bytes) {
  return mpps * 8e-3 * static_cast<double>(frame_bytes + telemetry::traffic::framing_bytes);
}

// Whether the search says nothing about the device, since the generator kept none of its rates.
bool offered_nothing(throughput_case const& one, found_rate const& found) {
  return std::ranges::all_of(one.trials, [&](trial const& each) {
    return judge(each, found.tolerated_percent) == trial_verdict::not_offered;
  });
}

std::string rate_text(throughput_case const& one, std::optional<found_rate> const& found) {
  if (!found) return "-";
  if (!found->is_complete) return fmt::format("above {:.3f}, not ended", found->mpps);
  if (found->mpps == 0) return offered_nothing(one, *found) ? "none offered" : "none passed";
  auto const* const more = found->above == trial_verdict::not_offered ? " or more" : "";
  return fmt::format("{:.3f} ({:.1f} %){}", found->mpps, 100 * found->mpps / *one.line_mpps, more);
}

std::string latency_text(throughput_case const& one) {
  if (!one.no_drop || !one.no_drop->at) return "-";
  auto const& latency = one.trials[*one.no_drop->at].latency_us;
  return latency ? fmt::format("{:.1f} / {:.1f} / {:.1f}", latency->p50, latency->p99, latency->p999) : "-";
}

// The limit that kept the rate from rising.
std::string_view limit_of(found_rate const& found) {
  if (!found.above_mpps) return "line";
  return found.above == trial_verdict::not_offered ? "generator" : "loss";
}

json json_of(throughput_case const& one, std::optional<found_rate> const& found) {
  if (!found) return nullptr;
  json made{{"tolerated_loss_percent", found->tolerated_percent},
            {"mpps", found->mpps},
            {"gbps_l1", l1_gbps(found->mpps, one.what.frame_bytes)},
            {"line_percent", one.line_mpps ? json(100 * found->mpps / *one.line_mpps) : json(nullptr)},
            {"limited_by", limit_of(*found)},
            {"above_mpps", value_json(found->above_mpps)},
            {"complete", found->is_complete},
            {"latency_us", nullptr}};
  if (found->at) made["latency_us"] = latency_json(one.trials[*found->at].latency_us);
  return made;
}

json json_of(trial const& one, throughput_options const& how) {
  return {{"offered_mpps", one.offered_mpps},
          {"sent", one.sent},
          {"received", one.received},
          {"lost", one.lost},
          {"loss_percent", one.loss_percent()},
          {"received_mpps", one.received_mpps},
          {"latency_us", latency_json(one.latency_us)},
          {"no_drop", to_string(judge(one, 0))},
          {"partial_drop", to_string(judge(one, how.partial_drop_percent))}};
}

json json_of(throughput_case const& one, throughput_options const& how) {
  auto made = case_json(one.what);
  made["status"] = to_string(one.status);
  made["reason"] = one.reason.empty() ? json(nullptr) : json(one.reason);
  made["line_mpps"] = value_json(one.line_mpps);
  made["ndr"] = json_of(one, one.no_drop);
  made["pdr"] = json_of(one, one.partial_drop);
  made["trials"] = json::array();
  for (auto const& each : one.trials) made["trials"].push_back(json_of(each, how));
  return made;
}

}  // namespace

std::string to_text(throughput_results const& all) {
  using enum text_table::align;
  text_table table{{{"case", left},
                    {"line Mpps"},
                    {"no-drop rate Mpps"},
                    {fmt::format("{:g} % drop rate Mpps", all.how.partial_drop_percent)},
                    {"latency p50 / p99 / p99.9 us"},
                    {"trials"}}};
  std::string without;
  for (auto const& one : all.cases) {
    if (!one.line_mpps || !one.no_drop) {
      without += fmt::format("{}: {}{}{}\n", describe(one.what), to_string(one.status), one.reason.empty() ? "" : ": ",
                             one.reason);
      continue;
    }
    table.add_row({describe(one.what), fmt::format("{:.3f}", *one.line_mpps), rate_text(one, one.no_drop),
                   rate_text(one, one.partial_drop), latency_text(one), std::to_string(one.trials.size())});
  }
  auto text =
      fmt::format("RFC 2544 throughput, trials of {:g} s, resolution {:g} % of the line\n\n{}",
                  std::chrono::duration<double>(all.how.trial).count(), all.how.resolution_percent, table.text());
  for (auto const& notice : all.notices) text += fmt::format("\nnotice: {}", notice);
  if (!all.notices.empty()) text += '\n';
  return without.empty() ? text : text + "\nwithout a rate:\n" + without;
}

std::string to_json(throughput_results const& all) {
  json made{{"benchmark", "packetwarp_throughput"},
            {"version", all.version},
            {"commit", all.commit},
            {"started", all.started},
            {"command", all.command},
            {"eal", all.eal},
            {"cpus", all.cpus},
            {"host", all.host},
            {"trial_seconds", std::chrono::duration<double>(all.how.trial).count()},
            {"resolution_percent", all.how.resolution_percent},
            {"partial_drop_percent", all.how.partial_drop_percent},
            {"notices", all.notices},
            {"cases", json::array()}};
  for (auto const& one : all.cases) made["cases"].push_back(json_of(one, all.how));
  return made.dump(2, ' ', false, json::error_handler_t::replace);
}

std::string to_csv(throughput_results const& all) {
  std::string text{
      "function,executor,placement,burst,frame_bytes,pipelines,lcores,packet_time_ns,workers,line_mpps,offered_mpps,"
      "sent,received,lost,loss_percent,received_mpps,no_drop,partial_drop\n"};
  for (auto const& one : all.cases) {
    auto const& what = one.what;
    for (auto const& each : one.trials) {
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", what.function,
                      to_string(what.executor), to_string(what.where), what.burst, what.frame_bytes, what.pipelines,
                      what.lcores, what.packet_time.count(), to_string(what.workers), one.line_mpps.value_or(0),
                      each.offered_mpps, each.sent, each.received, each.lost, each.loss_percent(), each.received_mpps,
                      to_string(judge(each, 0)), to_string(judge(each, all.how.partial_drop_percent)));
    }
  }
  return text;
}

}  // namespace packetwarp::bench
