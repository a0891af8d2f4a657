// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "bench/results/results.h"
#include "telemetry/text_table.h"

namespace packetwarp::bench {
namespace {

using telemetry::text_table;
using enum telemetry::text_table::align;

std::string ratio_text(std::optional<double> of, std::optional<double> to) {
  auto const made = ratio(of, to);
  return made ? fmt::format("{:.2f}", *made) : "-";
}

std::string spread_text(spread const& over) {
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", over.median, over.min, over.max);
}

std::string latency_text(bench_case const& one) {
  auto const latency = median_latency(one);
  if (!latency) return "-";
  return fmt::format("{:.1f} / {:.1f} / {:.1f}", latency->p50, latency->p99, latency->p999);
}

// The settings of a case, by heading.
struct given_column {
  text_table::column column;
  std::string (*cell)(parameters const&);
};
std::vector<given_column> given_columns() {
  return {{{"executor", left}, [](auto const& p) { return std::string{to_string(p.executor)}; }},
          {{"memory", left}, [](auto const& p) { return std::string{to_string(p.where)}; }},
          {{"frame"}, [](auto const& p) { return std::to_string(p.frame_bytes); }},
          {{"pipelines"}, [](auto const& p) { return std::to_string(p.pipelines); }},
          {{"lcores"}, [](auto const& p) { return std::to_string(p.lcores); }},
          {{"work"}, [](auto const& p) { return format_duration(static_cast<double>(p.packet_time.count())); }},
          {{"workers", left}, [](auto const& p) { return std::string{to_string(p.workers)}; }},
          {{"offered"}, [](auto const& p) { return p.offered_mpps ? fmt::format("{:g}", *p.offered_mpps) : "max"; }},
          {{"burst"}, [](auto const& p) { return std::to_string(p.burst); }}};
}

struct measured_column {
  text_table::column column;
  std::string (*cell)(results const&, bench_case const&);
};

// The rate in proportion to the case beside it. At an offered rate all cases have the same.
template <std::optional<double> beside::*Other>
std::string ratio_cell(results const& all, bench_case const& one) {
  if (one.what.offered_mpps) return "-";
  return ratio_text(one.spread_over(&figures::mpps)->median, figures_beside(all, one).*Other);
}

std::vector<measured_column> measured_columns() {
  return {{{"Mpps (lowest to highest)"},
           [](auto const&, auto const& one) { return spread_text(*one.spread_over(&figures::mpps)); }},
          {{"to none"}, ratio_cell<&beside::none>},
          {{"to cpu"}, ratio_cell<&beside::cpu>},
          {{"to io"}, ratio_cell<&beside::testpmd_io>},
          {{"to macswap"}, ratio_cell<&beside::testpmd_macswap>},
          {{"latency p50 / p99 / p99.9 us"}, [](auto const&, auto const& one) { return latency_text(one); }},
          {{"runs"},
           [](auto const& all, auto const& one) { return fmt::format("{} of {}", one.runs.size(), all.repeats); }}};
}

// Settings that all cases share are printed once, above the table.
std::string case_table(results const& all) {
  std::vector<bench_case const*> shown;
  for (auto const& one : all.cases) {
    if (one.has_figures()) shown.push_back(&one);
  }
  if (shown.empty()) return "no figures\n";
  std::vector<given_column> varied;
  std::vector<std::string> same;
  for (auto const& given : given_columns()) {
    auto const first = given.cell(shown.front()->what);
    bool const varies =
        std::any_of(shown.begin(), shown.end(), [&](auto const* one) { return given.cell(one->what) != first; });
    if (varies) {
      varied.push_back(given);
    } else {
      same.push_back(fmt::format("{} {}", given.column.heading, first));
    }
  }
  std::vector<text_table::column> columns;
  columns.reserve(varied.size() + measured_columns().size());
  for (auto const& given : varied) columns.push_back(given.column);
  for (auto const& measured : measured_columns()) columns.push_back(measured.column);
  text_table table{std::move(columns)};
  for (auto const* one : shown) {
    std::vector<std::string> cells;
    cells.reserve(varied.size() + measured_columns().size());
    for (auto const& given : varied) cells.push_back(given.cell(one->what));
    for (auto const& measured : measured_columns()) cells.push_back(measured.cell(all, *one));
    table.add_row(std::move(cells));
  }
  auto const common = same.empty() ? std::string{} : fmt::format("all: {}\n\n", telemetry::with_commas(same));
  return common + table.text();
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
                   std::to_string(one.what.lcores), spread_text(*mpps),
                   fmt::format("{} of {}", one.runs.size(), all.repeats)});
  }
  return any ? '\n' + table.text() : std::string{};
}

// Prints a line per reason, with the number of cases that share it.
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

}  // namespace

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
