// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/top/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/units.h"
#include "cli/top/sections.h"
#include "module/modules.h"

namespace packetwarp {
namespace {

using telemetry::number;
using telemetry::report_change;
using telemetry::text;

constexpr std::array<std::string_view, 5> own_pages{"overview", "pipelines", "workers", "drops", "ports"};
constexpr std::string_view key_help = "q quit   p pause   tab, arrows page   up, down scroll   s sort   space refresh";

void append(std::vector<std::string>& to, std::vector<std::string> section) {
  if (section.empty()) return;
  if (!to.empty()) to.emplace_back();
  std::move(section.begin(), section.end(), std::back_inserter(to));
}

[[nodiscard]] report_change change_between(top_sample const* before, top_sample const& now) {
  return {before != nullptr ? &before->report : nullptr, now.report};
}

// Screens of modules that have a page.
[[nodiscard]] std::vector<module_screen> const& module_pages() {
  static std::vector<module_screen> const all = [] {
    std::vector<module_screen> made;
    for (auto const* const kind : module_kinds()) {
      if (auto const screen = kind->facts().client.screen; screen.table != nullptr) made.push_back(screen);
    }
    return made;
  }();
  return all;
}

[[nodiscard]] std::vector<std::string> body_of(report_change const& seen, std::span<gpu_load const> gpus,
                                               top_view const& view, std::size_t width) {
  std::vector<std::string> lines;
  switch (view.page) {
    case top_page::overview:
      append(lines, summary_section(seen, gpus, width));
      append(lines, worker_section(seen, view.sort, width));
      append(lines, drop_section(seen, top_sort::by_rate, width));
      append(lines, port_section(seen, view.sort, width));
      break;
    case top_page::pipelines:
      append(lines, pipeline_section(seen, view.sort, width));
      break;
    case top_page::workers:
      append(lines, worker_section(seen, view.sort, width));
      append(lines, stage_section(seen, view.sort, width));
      break;
    case top_page::drops:
      append(lines, drop_section(seen, view.sort, width));
      break;
    case top_page::ports:
      append(lines, port_section(seen, view.sort, width));
      break;
    default:
      append(lines, module_lines(seen));
      append(lines,
             module_pages()[static_cast<std::size_t>(view.page) - own_pages.size()].table(seen, view.sort, width));
      break;
  }
  if (lines.empty()) lines.emplace_back("nothing");
  return lines;
}

[[nodiscard]] std::string headline(report_change const& seen) {
  auto const& r = seen.now();
  return fmt::format("packetwarp {} {}: executor {}, placement {}, bursts of {}   up {}", text(r, "version"),
                     text(r, "command"), text(r, "executor"), text(r, "placement"), number(r, "burst"),
                     format_duration(number(r, "elapsed_seconds") * 1e9));
}

[[nodiscard]] std::string tabs(top_view const& view) {
  std::string line;
  for (std::size_t i = 0; i < top_pages().size(); ++i) {
    bool const is_shown = i == static_cast<std::size_t>(view.page);
    line += fmt::format("{}{}", i == 0 ? "" : " ",
                        is_shown ? fmt::format("[{}]", top_pages()[i]) : std::string{top_pages()[i]});
  }
  auto const order = view.sort == top_sort::by_rate ? "by rate" : "by number";
  return line + (view.pace == top_pace::paused
                     ? "  PAUSED"
                     : fmt::format("  {}, {}", format_duration(static_cast<double>(view.period.count())), order));
}

// Drivers and the user choose names: they may hold any bytes.
[[nodiscard]] std::string fit(std::string line, std::size_t columns) {
  for (auto& c : line) {
    if (c < ' ' || c > '~') c = '?';
  }
  if (line.size() > columns) line.resize(columns);
  return line;
}

}  // namespace

std::span<std::string_view const> top_pages() {
  static std::vector<std::string_view> const all = [] {
    std::vector<std::string_view> names{own_pages.begin(), own_pages.end()};
    for (auto const& one : module_pages()) names.push_back(one.page);
    return names;
  }();
  return all;
}

std::vector<std::string> frame(top_sample const* before, top_sample const& now, top_view& view, std::size_t columns,
                               std::size_t lines) {
  auto const seen = change_between(before, now);
  std::vector<std::string> made{headline(seen), tabs(view), ""};
  auto const body = body_of(seen, now.gpus, view, columns);
  auto const around = made.size() + 1;  // the keys below
  auto const room = lines > around ? lines - around : 1;
  view.first_line = std::min(view.first_line, body.size() > room ? body.size() - room : 0);
  for (std::size_t i = 0; i < room && view.first_line + i < body.size(); ++i) made.push_back(body[view.first_line + i]);
  made.resize(std::max<std::size_t>(lines, 1) - 1);
  if (lines != 0) made.emplace_back(key_help);
  for (auto& line : made) line = fit(std::move(line), columns);
  return made;
}

std::string plain_frame(top_sample const* before, top_sample const& now) {
  auto const seen = change_between(before, now);
  std::vector<std::string> lines{headline(seen)};
  append(lines, summary_section(seen, now.gpus, std::string::npos));
  append(lines, pipeline_section(seen, top_sort::by_number, std::string::npos));
  append(lines, worker_section(seen, top_sort::by_number, std::string::npos));
  append(lines, stage_section(seen, top_sort::by_number, std::string::npos));
  append(lines, drop_section(seen, top_sort::by_rate, std::string::npos));
  append(lines, port_section(seen, top_sort::by_number, std::string::npos));
  for (auto const& one : module_pages()) append(lines, one.table(seen, top_sort::by_rate, std::string::npos));
  std::string all;
  for (auto& line : lines) all += fit(std::move(line), std::string::npos) + '\n';
  return all;
}

}  // namespace packetwarp
