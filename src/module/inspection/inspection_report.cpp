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

using counts = inspection_counts;
// The counts by their names in reports.
struct named_count {
  std::string_view name;
  std::uint64_t (*of)(counts const&);
};
constexpr std::array packet_counts{
    named_count{"packets", [](counts const& all) { return all.packets; }},
    named_count{"packets_without_ip", [](counts const& all) { return all.without_ip; }},
    named_count{"fragments_by_header_only", [](counts const& all) { return all.fragments; }},
    named_count{"datagrams_put_together", [](counts const& all) { return all.datagrams.datagrams; }},
    named_count{"fragments_unsound", [](counts const& all) { return all.datagrams.unsound; }},
    named_count{"fragments_repeated", [](counts const& all) { return all.datagrams.repeated; }},
    named_count{"fragments_given_up", [](counts const& all) { return all.datagrams.given_up; }},
    named_count{"packets_with_wrong_checksums", [](counts const& all) { return all.wrong_checksums; }},
    named_count{"packets_with_unread_extensions", [](counts const& all) { return all.unread_extensions; }},
    named_count{"packets_cut_short", [](counts const& all) { return all.cut_short; }},
    named_count{"packets_without_flow_place", [](counts const& all) { return all.without_flow; }},
    named_count{"candidates", [](counts const& all) { return all.candidates; }},
    named_count{"alerts", [](counts const& all) { return all.alerts; }},
    named_count{"dropped", [](counts const& all) { return all.dropped; }},
    named_count{"rejected", [](counts const& all) { return all.rejected; }},
    named_count{"packets_of_ended_connections", [](counts const& all) { return all.of_ended_connections; }},
    named_count{"passed", [](counts const& all) { return all.passed; }},
    named_count{"flows_bypassed", [](counts const& all) { return all.flows_bypassed; }},
    named_count{"packets_bypassed", [](counts const& all) { return all.bypassed; }}};
// The counts of rules and thresholds that could not be judged.
constexpr std::array unjudged_counts{
    named_count{"rules_out_of_steps", [](counts const& all) { return all.out_of_steps; }},
    named_count{"rules_out_of_bytes", [](counts const& all) { return all.out_of_bytes; }},
    named_count{"regexes_out_of_bound", [](counts const& all) { return all.regexes_out_of_bound; }},
    named_count{"regexes_without_engine", [](counts const& all) { return all.unjudged_regexes; }},
    named_count{"heads_not_read", [](counts const& all) { return all.heads_not_read; }},
    named_count{"names_not_read", [](counts const& all) { return all.unjudged_names; }},
    named_count{"streams_not_followed", [](counts const& all) { return all.unjudged_streams; }},
    named_count{"packets_without_memory", [](counts const& all) { return all.without_memory; }},
    named_count{"rates_without_place", [](counts const& all) { return all.rates_without_place; }}};
// The counts of segments and messages that are not simply the next ones of their stream.
constexpr std::array stream_counts{
    named_count{"segments_out_of_order", [](counts const& all) { return all.segments.out_of_order; }},
    named_count{"segments_too_far_ahead", [](counts const& all) { return all.segments.too_far_ahead; }},
    named_count{"segments_discarded", [](counts const& all) { return all.segments.discarded; }},
    named_count{"segments_repeated", [](counts const& all) { return all.segments.repeated; }},
    named_count{"segments_differing", [](counts const& all) { return all.segments.differing; }},
    named_count{"segments_without_begin", [](counts const& all) { return all.segments.without_begin; }},
    named_count{"segments_of_given_up_streams", [](counts const& all) { return all.segments.given_up; }},
    named_count{"streams_given_up_for_places", [](counts const& all) { return all.segments.given_up_for_places; }},
    named_count{"streams_given_up_for_bytes", [](counts const& all) { return all.segments.given_up_for_bytes; }},
    named_count{"streams_given_up_for_memory", [](counts const& all) { return all.given_up_for_memory; }},
    named_count{"stream_gaps", [](counts const& all) { return all.segments.gaps; }},
    named_count{"stream_literals_not_kept", [](counts const& all) { return all.literals_not_kept; }},
    named_count{"http_messages", [](counts const& all) { return all.messages.messages; }},
    named_count{"http_unreadable", [](counts const& all) { return all.messages.unreadable; }},
    named_count{"http_heads_too_long", [](counts const& all) { return all.messages.heads_too_long; }},
    named_count{"http_bodies_encoded", [](counts const& all) { return all.messages.bodies_encoded; }},
    named_count{"http_bodies_decoded", [](counts const& all) { return all.messages.bodies_decoded; }},
    named_count{"http_bodies_cut_short", [](counts const& all) { return all.messages.bodies_cut_short; }},
    named_count{"http_requests_not_known", [](counts const& all) { return all.messages.requests_not_known; }},
    named_count{"http_body_bytes_compared", [](counts const& all) { return all.body_bytes; }}};
// Rules in metrics: each is a time series.
constexpr std::size_t most_rules_in_metrics = 100;

void add_streams(telemetry::metrics_text& to, inspection_totals const& all) {
  to.begin({"inspect_streams", "gauge", "Connections of TCP whose bytes are kept."});
  to.sample({}, std::uint64_t{all.streams.streams});
  to.begin({"inspect_stream_bytes", "gauge", "Memory that these connections take, in bytes."});
  to.sample({}, std::uint64_t{all.streams.bytes});
  to.begin({"inspect_stream_events", "counter",
            "Segments, connections and messages of HTTP that are not simply the next ones of their stream."});
  for (auto const& one : stream_counts) to.sample({{"what", std::string{one.name}}}, one.of(all.packets));
}

}  // namespace

void inspection_totals::add(inspection_counts const& some) {
  auto const* const from = reinterpret_cast<std::uint64_t const*>(&some);
  auto* const to = reinterpret_cast<std::uint64_t*>(&packets);
  for (std::size_t n = 0; n < sizeof some / sizeof *to; ++n) to[n] += from[n];
}

nlohmann::ordered_json json_of(inspection_totals const& totals) {
  nlohmann::ordered_json made{
      {"rules_read", totals.rules}, {"rules_used", totals.usable}, {"verdicts", to_string(totals.verdicts)}};
  for (auto const& one : packet_counts) made[std::string{one.name}] = one.of(totals.packets);
  auto& streams = made["streams"];
  streams = {{"followed", totals.streams.streams}, {"bytes", totals.streams.bytes}};
  for (auto const& one : stream_counts) streams[std::string{one.name}] = one.of(totals.packets);
  auto& unjudged = made["unjudged"];
  for (auto const& one : unjudged_counts) unjudged[std::string{one.name}] = one.of(totals.packets);
  made["events"] = {{"read", totals.read}, {"lost", totals.lost}, {"packets_lost", totals.packets.packets_not_kept}};
  made["late"] = {{"judged", totals.late.judged},
                  {"matched", totals.late.matched},
                  {"not_blocked", totals.late.not_blocked},
                  {"lost", totals.late_lost}};
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
  to.begin({"inspect_alerts", "counter",
            "Alerts, and those that found no room on their way to the file, they or their packets."});
  to.sample({{"fate", "made"}}, seen.alerts);
  to.sample({{"fate", "lost"}}, totals_.lost);
  to.sample({{"fate", "without_packet"}}, seen.packets_not_kept);
  to.begin({"inspect_unjudged", "counter", "Rules, expressions, names and thresholds that could not be judged."});
  for (auto const& one : unjudged_counts) to.sample({{"why", std::string{one.name}}}, one.of(seen));
  to.begin({"inspect_late", "counter", "Packets and rules that GPUs left to the CPU, and those that found no room."});
  to.sample({{"fate", "judged"}}, totals_.late.judged);
  to.sample({{"fate", "matched"}}, totals_.late.matched);
  to.sample({{"fate", "not_blocked"}}, totals_.late.not_blocked);
  to.sample({{"fate", "lost"}}, totals_.late_lost);
  to.begin({"inspect_partly", "counter", "Packets that were not inspected, in part, or without state."});
  to.sample({{"why", "without_ip"}}, seen.without_ip);
  to.sample({{"why", "fragment"}}, seen.fragments);
  to.sample({{"why", "fragment_unsound"}}, seen.datagrams.unsound);
  to.sample({{"why", "fragment_given_up"}}, seen.datagrams.given_up);
  to.sample({{"why", "unread_extensions"}}, seen.unread_extensions);
  to.sample({{"why", "cut_short"}}, seen.cut_short);
  to.sample({{"why", "wrong_checksum"}}, seen.wrong_checksums);
  to.sample({{"why", "without_flow_place"}}, seen.without_flow);
  to.sample({{"why", "bypassed"}}, seen.bypassed);
  add_streams(to, totals_);
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
      if (all.size() < most) all.emplace_back(one.name, one.of(totals_.packets));
    }
  };
  put(packet_counts);
  put(unjudged_counts);
  put(stream_counts);
  if (all.size() < most) all.emplace_back("alerts_lost", totals_.lost);
  if (all.size() < most) all.emplace_back("late_judged", totals_.late.judged);
  if (all.size() < most) all.emplace_back("late_lost", totals_.late_lost);
  if (all.size() < most) all.emplace_back("alert_packets_lost", totals_.packets.packets_not_kept);
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
