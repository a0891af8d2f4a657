// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/top/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/units.h"
#include "control/action.h"
#include "module/modules.h"
#include "telemetry/ranked_table.h"
#include "telemetry/text_table.h"
#include "telemetry/traffic.h"

namespace packetwarp {
namespace {

using telemetry::count;
using telemetry::like;
using telemetry::number;
using telemetry::part;
using telemetry::ranked_table;
using telemetry::rate_text;
using telemetry::report_change;
using telemetry::text;
using telemetry::text_table;
using telemetry::with_separators;
using telemetry::with_unit;
using enum text_table::align;

// A line of values with blanks between them, as many as fit the screen's width; the others stand below the first value.
void add_wrapped(std::vector<std::string>& to, std::string line, std::size_t width) {
  constexpr std::string_view between = "   ", indent = "         ";
  while (line.size() > width) {
    auto const cut = line.rfind(between, width);
    if (cut == line.npos || cut <= indent.size()) break;
    to.push_back(line.substr(0, cut));
    line = std::string{indent} + line.substr(cut + between.size());
  }
  to.push_back(std::move(line));
}

[[nodiscard]] double sum(json const& counts) {
  double all = 0;
  if (!counts.is_object()) return 0;
  for (auto const& [name, packets] : counts.items()) all += packets.is_number() ? packets.get<double>() : 0;
  return all;
}

[[nodiscard]] std::string latency_text(json const& latency) {
  if (!latency.is_object()) return "-";
  return fmt::format("p50 {}   p99 {}   p99.9 {}", format_duration(number(latency, "p50") * 1e3),
                     format_duration(number(latency, "p99") * 1e3), format_duration(number(latency, "p999") * 1e3));
}

[[nodiscard]] std::string percentile(json const& pipeline, char const* key) {
  auto const& latency = part(pipeline, "latency_us");
  return latency.is_object() ? format_duration(number(latency, key) * 1e3) : "-";
}

[[nodiscard]] std::string gpu_line(gpu_load const& one) {
  auto line = fmt::format("GPU      {}: busy {} %, memory {} of {}", one.name, one.busy_percent,
                          format_size(one.memory_used), format_size(one.memory_total));
  if (one.pcie_in && one.pcie_out) {
    line += fmt::format(", PCIe in {}, out {}", with_unit(static_cast<double>(*one.pcie_in), "B/s"),
                        with_unit(static_cast<double>(*one.pcie_out), "B/s"));
  }
  return line;
}

}  // namespace

std::vector<std::string> module_lines(report_change const& seen) {
  std::vector<std::string> all;
  for (auto const* const kind : module_kinds()) {
    if (auto const lines = kind->facts().client.screen.lines; lines != nullptr)
      std::ranges::move(lines(seen), std::back_inserter(all));
  }
  return all;
}

std::vector<std::string> summary_section(report_change const& seen, std::span<gpu_load const> gpus, std::size_t width) {
  auto const& now = part(seen.now(), "packets");
  auto const& before = part(seen.before(), "packets");
  auto const rate = [&](char const* key) { return rate_text(seen.rate(number(before, key), number(now, key)), "pps"); };
  auto const dropped = sum(part(now, "dropped"));
  std::vector<std::string> lines{
      fmt::format("rate     rx {}   tx {}   punted {}   dropped {}", rate("rx"), rate("tx"), rate("punted"),
                  rate_text(seen.rate(sum(part(before, "dropped")), dropped), "pps")),
      fmt::format("packets  rx {}   tx {}   punted {}   in flight {}   dropped {}", with_separators(count(now, "rx")),
                  with_separators(count(now, "tx")), with_separators(count(now, "punted")),
                  with_separators(count(now, "in_flight")), with_separators(static_cast<std::uint64_t>(dropped))),
      fmt::format("latency  {}", latency_text(part(seen.now(), "latency_us")))};
  if (auto const failed = count(seen.now(), "failed_over"); failed != 0) {
    lines.push_back(fmt::format("FAILED   the GPU of {} pipelines; the CPU handles their packets", failed));
  }
  for (auto const& one : gpus) lines.push_back(gpu_line(one));
  std::ranges::move(module_lines(seen), std::back_inserter(lines));
  std::vector<std::string> made;
  for (auto& line : lines) add_wrapped(made, std::move(line), width);
  return made;
}

std::vector<std::string> pipeline_section(report_change const& seen, top_sort sort, std::size_t width) {
  ranked_table table{{{"pipeline"},
                      {"from", left},
                      {"to", left},
                      {"rx"},
                      {"tx"},
                      {"dropped"},
                      {"mean burst"},
                      {"ring full"},
                      {"p50"},
                      {"p99"},
                      {"p99.9"}},
                     3};
  for (auto const& one : part(seen.now(), "pipelines")) {
    auto const& before = like(part(seen.before(), "pipelines"), one, {"id"});
    auto const rate = [&](char const* key) { return seen.rate(number(before, key), number(one, key)); };
    auto const bursts = number(one, "bursts") - number(before, "bursts");
    auto const burst = bursts > 0 ? (number(one, "rx") - number(before, "rx")) / bursts : 0;
    table.add(
        rate("rx"),
        {text(one, "id"), fmt::format("{}/{}", text(one, "rx_port"), text(one, "rx_queue")),
         part(one, "tx_port").is_null() ? "any" : fmt::format("{}/{}", text(one, "tx_port"), text(one, "tx_queue")),
         rate_text(rate("rx"), "pps"), rate_text(rate("tx"), "pps"),
         rate_text(seen.rate(sum(part(before, "dropped")), sum(part(one, "dropped"))), "pps"),
         fmt::format("{:.1f}", burst), rate_text(rate("ring_full"), "/s"), percentile(one, "p50"),
         percentile(one, "p99"), percentile(one, "p999")});
  }
  return table.lines(sort, width);
}

std::vector<std::string> worker_section(report_change const& seen, top_sort sort, std::size_t width) {
  ranked_table table{{{"lcore"}, {"role", left}, {"busy"}, {"loops"}, {"cycles/packet"}, {"jobs", left}}};
  auto const now_seconds = number(seen.now(), "elapsed_seconds");
  for (auto const& one : part(seen.now(), "workers")) {
    auto const& before = like(part(seen.before(), "workers"), one, {"lcore"});
    // The report has shares since the start; the share between the two reports follows from them.
    auto busy = number(one, "busy");
    if (seen.seconds() > 0 && before.is_object()) {
      auto const spent = busy * now_seconds - number(before, "busy") * (now_seconds - seen.seconds());
      busy = std::clamp(spent / seen.seconds(), 0.0, 1.0);
    }
    auto const clocks = part(one, "cycles_per_packet");
    std::vector<std::string> jobs;
    for (auto const& name : part(one, "jobs")) jobs.push_back(name.is_string() ? name.get<std::string>() : name.dump());
    table.add(busy,
              {text(one, "lcore"), text(one, "role"), fmt::format("{:.1f} %", busy * 100),
               rate_text(seen.rate(number(before, "loops"), number(one, "loops")), "/s"),
               clocks.is_number() ? fmt::format("{:.0f}", clocks.get<double>()) : "-", telemetry::with_commas(jobs)});
  }
  return table.lines(sort, width);
}

std::vector<std::string> stage_section(report_change const& seen, top_sort sort, std::size_t width) {
  ranked_table table{{{"lcore"}, {"stage", left}, {"calls"}, {"packets"}, {"packets/call"}, {"cycles/packet"}}};
  for (auto const& worker : part(seen.now(), "workers")) {
    auto const& before = part(like(part(seen.before(), "workers"), worker, {"lcore"}), "stages");
    for (auto const& one : part(worker, "stages")) {
      auto const& then = like(before, one, {"name"});
      auto const grown = [&](char const* key) { return std::max(number(one, key) - number(then, key), 0.0); };
      auto const each = [&](char const* what, char const* of) {
        return grown(of) > 0 ? fmt::format("{:.1f}", grown(what) / grown(of)) : "-";
      };
      table.add(grown("cycles"),
                {text(worker, "lcore"), text(one, "name"), with_separators(static_cast<std::uint64_t>(grown("calls"))),
                 with_separators(static_cast<std::uint64_t>(grown("packets"))), each("packets", "calls"),
                 each("cycles", "packets")});
    }
  }
  return table.lines(sort, width);
}

std::vector<std::string> drop_section(report_change const& seen, top_sort sort, std::size_t width) {
  ranked_table dropped{{{"dropped", left}, {"rate"}, {"packets"}}};
  // These packets have served their purpose, and end at the control plane.
  ranked_table handled{{{"handled by the control plane", left}, {"rate"}, {"packets"}}};
  auto const add = [&](json const& now, json const& before, auto table_of, std::string_view by) {
    if (!now.is_object()) return;
    for (auto const& [name, packets] : now.items()) {
      auto const rate = seen.rate(number(before, name.c_str()), number(now, name.c_str()));
      auto& table = table_of(name);
      table.add(rate, {fmt::format("{}{}", name, &table == &dropped ? by : ""), rate_text(rate, "pps"),
                       with_separators(count(now, name.c_str()))});
    }
  };
  add(
      part(part(seen.now(), "packets"), "dropped"), part(part(seen.before(), "packets"), "dropped"),
      [&](auto const&) -> ranked_table& { return dropped; }, "");
  add(
      part(part(seen.now(), "control"), "dropped"), part(part(seen.before(), "control"), "dropped"),
      [&](auto const& name) -> ranked_table& { return is_work_done(name) ? handled : dropped; }, " (control plane)");
  for (auto const& one : part(seen.now(), "kernel")) {
    auto const& then = like(part(seen.before(), "kernel"), one, {"name", "port"});
    for (auto const& [direction, by] : {std::pair{"in", " (to the kernel, {})"}, {"out", " (from the kernel, {})"}}) {
      add(
          part(part(one, direction), "dropped"), part(part(then, direction), "dropped"),
          [&](auto const&) -> ranked_table& { return dropped; }, fmt::format(fmt::runtime(by), text(one, "name")));
    }
  }
  auto lines = dropped.lines(sort, width);
  auto below = handled.lines(sort, width);
  if (!lines.empty() && !below.empty()) lines.emplace_back();
  std::move(below.begin(), below.end(), std::back_inserter(lines));
  return lines;
}

std::vector<std::string> port_section(report_change const& seen, top_sort sort, std::size_t width) {
  ranked_table table{{{"port"},
                      {"name", left},
                      {"rx"},
                      {"tx"},
                      {"rx L1"},
                      {"tx L1"},
                      {"missed"},
                      {"errors in"},
                      {"errors out"},
                      {"no mbuf"}},
                     2};
  for (auto const& one : part(seen.now(), "ports")) {
    auto const& before = like(part(seen.before(), "ports"), one, {"id"});
    auto const rate = [&](char const* key) { return seen.rate(number(before, key), number(one, key)); };
    auto const bits = [&](char const* packets, char const* bytes) -> std::optional<double> {
      if (!rate(bytes)) return std::nullopt;
      constexpr auto around = static_cast<double>(telemetry::traffic::fcs_bytes + telemetry::traffic::framing_bytes);
      return (*rate(bytes) + *rate(packets) * around) * 8;
    };
    auto const total = [&](char const* key) { return with_separators(count(one, key)); };
    // An older packetwarp does not report the state.
    auto const& state = part(one, "state");
    bool const is_up = !state.is_string() || state == "up";
    table.add(
        rate("rx_packets"),
        {text(one, "id"), is_up ? text(one, "name") : fmt::format("{} ({})", text(one, "name"), text(one, "state")),
         rate_text(rate("rx_packets"), "pps"), rate_text(rate("tx_packets"), "pps"),
         rate_text(bits("rx_packets", "rx_bytes"), "b/s"), rate_text(bits("tx_packets", "tx_bytes"), "b/s"),
         total("imissed"), total("ierrors"), total("oerrors"), total("rx_nombuf")});
  }
  return table.lines(sort, width);
}

}  // namespace packetwarp
