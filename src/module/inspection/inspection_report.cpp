// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/inspection/inspection_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include "module/inspection/alert_line.h"
#include "module/inspection/inspection_config.h"
#include "telemetry/text_table.h"

namespace packetwarp {
namespace {

// The counts by their names in reports.
struct named_count {
  std::string_view name;
  std::uint64_t inspection_counts::*count;
};
constexpr std::array packet_counts{named_count{"packets", &inspection_counts::packets},
                                   named_count{"packets_without_ip", &inspection_counts::without_ip},
                                   named_count{"fragments_by_header_only", &inspection_counts::fragments},
                                   named_count{"packets_cut_short", &inspection_counts::cut_short},
                                   named_count{"packets_without_flow_place", &inspection_counts::without_flow},
                                   named_count{"candidates", &inspection_counts::candidates},
                                   named_count{"alerts", &inspection_counts::alerts},
                                   named_count{"dropped", &inspection_counts::dropped},
                                   named_count{"rejected", &inspection_counts::rejected},
                                   named_count{"passed", &inspection_counts::passed}};
// The counts of rules and thresholds that could not be judged.
constexpr std::array unjudged_counts{named_count{"rules_out_of_steps", &inspection_counts::out_of_steps},
                                     named_count{"rules_out_of_bytes", &inspection_counts::out_of_bytes},
                                     named_count{"regexes_out_of_bound", &inspection_counts::regexes_out_of_bound},
                                     named_count{"regexes_without_engine", &inspection_counts::unjudged_regexes},
                                     named_count{"names_not_read", &inspection_counts::unjudged_names},
                                     named_count{"rates_without_place", &inspection_counts::rates_without_place}};
// Rules in metrics: each is a time series.
constexpr std::size_t most_rules_in_metrics = 100;

}  // namespace

void inspection_totals::add(inspection_counts const& some) {
  for (auto const& one : packet_counts) packets.*one.count += some.*one.count;
  for (auto const& one : unjudged_counts) packets.*one.count += some.*one.count;
}

nlohmann::ordered_json json_of(inspection_totals const& totals) {
  nlohmann::ordered_json made{
      {"rules_read", totals.rules}, {"rules_used", totals.usable}, {"verdicts", to_string(totals.verdicts)}};
  for (auto const& one : packet_counts) made[std::string{one.name}] = totals.packets.*one.count;
  auto& unjudged = made["unjudged"];
  for (auto const& one : unjudged_counts) unjudged[std::string{one.name}] = totals.packets.*one.count;
  made["events"] = {{"read", totals.read}, {"lost", totals.lost}};
  made["rules_matched"] = totals.matched_rules;
  auto by_rule = nlohmann::ordered_json::array();
  for (auto const& one : totals.busiest) {
    by_rule.push_back(nlohmann::ordered_json{{"gid", one.gid},
                                             {"sid", one.sid},
                                             {"action", to_string(one.action)},
                                             {"matches", one.matches},
                                             {"alerts", one.alerts},
                                             {"message", one.message}});
  }
  made["by_rule"] = std::move(by_rule);
  return made;
}

nlohmann::ordered_json inspection_report::object() const { return json_of(totals_); }

void inspection_report::add_metrics(telemetry::metrics_text& to) const {
  auto const& seen = totals_.packets;
  to.begin({"inspect_packets", "counter", "Packets that rules have judged."});
  to.sample({}, seen.packets);
  to.begin({"inspect_verdicts", "counter", "Packets that a rule has dropped, rejected or let pass."});
  to.sample({{"verdict", "dropped"}}, seen.dropped);
  to.sample({{"verdict", "rejected"}}, seen.rejected);
  to.sample({{"verdict", "passed"}}, seen.passed);
  to.begin({"inspect_alerts", "counter", "Alerts, and those that found no room on their way to the file."});
  to.sample({{"fate", "made"}}, seen.alerts);
  to.sample({{"fate", "lost"}}, totals_.lost);
  to.begin({"inspect_unjudged", "counter", "Rules, expressions, names and thresholds that could not be judged."});
  for (auto const& one : unjudged_counts) to.sample({{"why", std::string{one.name}}}, seen.*one.count);
  to.begin({"inspect_partly", "counter", "Packets that were inspected in part or without state."});
  to.sample({{"why", "without_ip"}}, seen.without_ip);
  to.sample({{"why", "fragment"}}, seen.fragments);
  to.sample({{"why", "cut_short"}}, seen.cut_short);
  to.sample({{"why", "without_flow_place"}}, seen.without_flow);
  to.begin({"inspect_rule_matches", "counter", "Matches of the rules with the most."});
  for (std::size_t n = 0; n < std::min(totals_.busiest.size(), most_rules_in_metrics); ++n) {
    auto const& one = totals_.busiest[n];
    to.sample({{"gid", std::to_string(one.gid)}, {"sid", std::to_string(one.sid)}}, one.matches);
  }
}

std::vector<std::pair<std::string, std::uint64_t>> inspection_report::numbers(std::size_t most) const {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  auto const put = [&](auto const& counts) {
    for (auto const& one : counts) {
      if (all.size() < most) all.emplace_back(one.name, totals_.packets.*one.count);
    }
  };
  put(packet_counts);
  put(unjudged_counts);
  if (all.size() < most) all.emplace_back("alerts_lost", totals_.lost);
  return all;
}

std::string inspection_report::line() const {
  using telemetry::with_separators;
  auto const& seen = totals_.packets;
  return fmt::format("inspect  {} alerts; {} of {} packets dropped, {} rejected by {} rules\n",
                     with_separators(seen.alerts), with_separators(seen.dropped), with_separators(seen.packets),
                     with_separators(seen.rejected), with_separators(totals_.usable));
}

}  // namespace packetwarp
