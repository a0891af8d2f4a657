// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "cli/bench/results.h"
#include "telemetry/text_table.h"

namespace packetwarp::bench {
namespace {

using telemetry::text_table;
using enum telemetry::text_table::align;

std::string work_text(parameters const& what) { return format_duration(static_cast<double>(what.packet_time.count())); }

std::string ratio_text(std::optional<double> of, std::optional<double> to) {
  auto const made = ratio(of, to);
  return made ? fmt::format("{:.2f}", *made) : "-";
}

std::string latency_text(bench_case const& one) {
  auto const latency = median_latency(one);
  if (!latency) return "-";
  return fmt::format("{:.1f} / {:.1f} / {:.1f}", latency->p50, latency->p99, latency->p999);
}

std::string case_table(results const& all) {
  text_table table{{{"executor", left},
                    {"memory", left},
                    {"burst"},
                    {"frame"},
                    {"pipelines"},
                    {"lcores"},
                    {"work"},
                    {"workers", left},
                    {"offered"},
                    {"Mpps (lowest to highest)"},
                    {"to none"},
                    {"to cpu"},
                    {"to io"},
                    {"to macswap"},
                    {"latency p50 / p99 / p99.9 us"},
                    {"runs"}}};
  for (auto const& one : all.cases) {
    auto const mpps = one.spread_over(&figures::mpps);
    if (!mpps) continue;
    auto const& what = one.what;
    auto const others = figures_beside(all, one);
    table.add_row({std::string{to_string(what.executor)}, std::string{to_string(what.where)},
                   std::to_string(what.burst), std::to_string(what.frame_bytes), std::to_string(what.pipelines),
                   std::to_string(what.lcores), work_text(what), std::string{to_string(what.workers)},
                   what.offered_mpps ? fmt::format("{:g}", *what.offered_mpps) : "max",
                   fmt::format("{:.2f} ({:.2f} to {:.2f})", mpps->median, mpps->min, mpps->max),
                   ratio_text(mpps->median, others.none), ratio_text(mpps->median, others.cpu),
                   ratio_text(mpps->median, others.testpmd_io), ratio_text(mpps->median, others.testpmd_macswap),
                   latency_text(one), fmt::format("{} of {}", one.runs.size(), all.repeats)});
  }
  return table.text();
}

std::string peer_table(results const& all) {
  text_table table{
      {{"testpmd", left}, {"burst"}, {"frame"}, {"ports"}, {"lcores"}, {"Mpps (lowest to highest)"}, {"runs"}}};
  bool any = false;
  for (auto const& one : all.peers) {
    auto const mpps = one.spread_over(&figures::mpps);
    if (!mpps) continue;
    any = true;
    table.add_row({std::string{to_string(one.what.mode)}, std::to_string(one.what.burst),
                   std::to_string(one.what.frame_bytes), std::to_string(one.what.pipelines),
                   std::to_string(one.what.lcores),
                   fmt::format("{:.2f} ({:.2f} to {:.2f})", mpps->median, mpps->min, mpps->max),
                   fmt::format("{} of {}", one.runs.size(), all.repeats)});
  }
  return any ? '\n' + table.text() : std::string{};
}

// A line for each reason, with how many cases share it.
template <class Measured>
std::string without_figures(std::vector<Measured> const& all, std::string_view of) {
  std::string text;
  std::vector<std::pair<std::string, unsigned>> reasons;
  for (auto const& one : all) {
    if (one.status != case_status::failed && one.status != case_status::unsupported) continue;
    auto line = fmt::format("{}: {}", to_string(one.status), one.reason);
    auto const found = std::find_if(reasons.begin(), reasons.end(), [&](auto const& r) { return r.first == line; });
    if (found != reasons.end()) {
      ++found->second;
    } else {
      reasons.emplace_back(std::move(line), 1);
    }
  }
  for (auto const& [line, count] : reasons) {
    text += fmt::format("{} {}{} {}\n", count, of, count == 1 ? "" : "s", line);
  }
  return text;
}

// Quoted where a comma, a quote or a line end is in it, as RFC 4180 has it; lines end as everywhere here.
std::string csv_cell(std::string const& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted{'"'};
  for (char const c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string csv_cell(std::optional<double> value) { return value ? fmt::format("{}", *value) : std::string{}; }

void add_spread(std::vector<std::string>& to, std::optional<spread> const& over) {
  for (auto const value : {&spread::median, &spread::min, &spread::max}) {
    to.push_back(over ? fmt::format("{}", *over.*value) : std::string{});
  }
}

}  // namespace

std::string to_csv(results const& all) {
  std::string text{
      "function,executor,placement,burst,frame_bytes,pipelines,lcores,packet_time_ns,workers,offered_mpps,status,"
      "reason,"
      "runs,mpps_median,mpps_min,mpps_max,gbps_l1_median,gbps_l1_min,gbps_l1_max,gbps_l2_median,gbps_l2_min,gbps_l2_"
      "max,"
      "latency_us_p50,latency_us_p99,latency_us_p999,beside_none,beside_cpu,beside_testpmd_io,beside_testpmd_"
      "macswap\n"};
  for (auto const& one : all.cases) {
    auto const& what = one.what;
    std::vector<std::string> cells{csv_cell(what.function),
                                   std::string{to_string(what.executor)},
                                   std::string{to_string(what.where)},
                                   std::to_string(what.burst),
                                   std::to_string(what.frame_bytes),
                                   std::to_string(what.pipelines),
                                   std::to_string(what.lcores),
                                   std::to_string(what.packet_time.count()),
                                   std::string{to_string(what.workers)},
                                   csv_cell(what.offered_mpps),
                                   std::string{to_string(one.status)},
                                   csv_cell(one.reason),
                                   std::to_string(one.has_figures() ? one.runs.size() : 0)};
    for (auto const figure : {&figures::mpps, &figures::gbps_l1, &figures::gbps_l2}) {
      add_spread(cells, one.spread_over(figure));
    }
    auto const latency = median_latency(one);
    using telemetry::latency_percentiles;
    for (auto const p : {&latency_percentiles::p50, &latency_percentiles::p99, &latency_percentiles::p999}) {
      cells.push_back(latency ? fmt::format("{}", *latency.*p) : std::string{});
    }
    auto const others = figures_beside(all, one);
    for (auto const value : {others.none, others.cpu, others.testpmd_io, others.testpmd_macswap}) {
      cells.push_back(csv_cell(value));
    }
    for (std::size_t i = 0; i < cells.size(); ++i) text.append(i == 0 ? "" : ",").append(cells[i]);
    text += '\n';
  }
  return text;
}

std::string to_text(results const& all) {
  auto text = fmt::format("packetwarp {} bench: medians of {} run{} of {:g} s\n\n", all.version, all.repeats,
                          all.repeats == 1 ? "" : "s", all.seconds);
  text += case_table(all) + peer_table(all);
  auto const missing = without_figures(all.cases, "case") + without_figures(all.peers, "testpmd case");
  if (!missing.empty()) text += '\n' + missing;
  if (!all.notices.empty()) text += '\n';
  for (auto const& notice : all.notices) text += fmt::format("note: {}\n", notice);
  return text;
}

}  // namespace packetwarp::bench
