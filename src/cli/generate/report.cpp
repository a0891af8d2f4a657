// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/generate/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "cli/generate/percentiles.h"
#include "cli/generate/report_answers.h"
#include "telemetry/text_table.h"

namespace packetwarp {
namespace {

using telemetry::per_second;
using telemetry::text_table;
using telemetry::with_separators;
using telemetry::with_unit;
using traffic::outcome;

// The numbers of an outcome that are counts, by name; the table and the JSON have the same.
struct named_count {
  char const* heading;
  char const* key;
  std::uint64_t outcome::*count;
};
constexpr named_count named_counts[]{{"lost", "lost", &outcome::lost},
                                     {"duplicates", "duplicates", &outcome::duplicates},
                                     {"reordered", "reordered", &outcome::reordered},
                                     {"corrupted", "corrupted", &outcome::corrupted},
                                     {"unknown", "unknown", &outcome::unknown},
                                     {"tx full", "tx_full", &outcome::tx_full},
                                     {"no mbuf", "no_mbuf", &outcome::no_mbuf}};

double nanoseconds_of(double cycles, double per_second) { return cycles / per_second * 1e9; }

std::string rate_line(std::string_view what, telemetry::traffic const& moved, double seconds) {
  auto line = fmt::format("{:<10}{:>15} packets", what, with_separators(moved.packets));
  if (seconds <= 0) return line + '\n';
  return line + fmt::format("   {}   {} L2 (with FCS) / {} L1 (+20 B framing)   over {}\n",
                            with_unit(per_second(static_cast<double>(moved.packets), seconds), "pps"),
                            with_unit(per_second(moved.l2_bits(), seconds), "b/s"),
                            with_unit(per_second(moved.l1_bits(), seconds), "b/s"), format_duration(seconds * 1e9));
}

// A line only if the ports or lcores did not keep up with the requested rate.
std::string shortfall_line(generate_report const& report) {
  auto const& r = report.result;
  if (!r.fell_short()) return {};
  auto const reached = *r.pace.reached();
  auto line = fmt::format("shortfall {:.1f}% of the asked rate ({}) was not sent", (1 - reached) * 100, report.rate);
  for (auto const& d : r.directions) {
    auto const own = d.pace.reached();
    if (r.directions.size() > 1 && own) line += fmt::format("; port {} reached {:.1f}%", d.from.value(), *own * 100);
  }
  return line + '\n';
}

std::string latency_line(traffic::exchange_result const& r) {
  if (r.latency.is_empty()) return {};
  std::string line{"latency   "};
  auto const add = [&](std::string_view name, std::uint64_t cycles) {
    line += fmt::format("   {} {}", name,
                        format_duration(nanoseconds_of(static_cast<double>(cycles), r.cycles_per_second)));
  };
  add("min", r.latency.min());
  for (auto const& p : named_percentiles) add(p.name, r.latency.percentile(p.percent));
  add("max", r.latency.max());
  return line + '\n';
}

// The senders whose packets no port awaits, beside others: the verdict is not about these.
std::string unverified_senders(std::vector<traffic::direction_result> const& directions) {
  std::string names;
  for (auto const& d : directions) {
    if (!d.to)
      names += fmt::format("{}{}", names.empty() ? "; not verified: what is sent by port " : ", ", d.from.value());
  }
  return names;
}

std::string verdict_line(generate_report const& report) {
  auto const& total = report.result.total;
  if (report.result.how == traffic::verification::none) return "verified  nothing: no port receives\n";
  return fmt::format("verified  {}, expected {}: {}{}\n", to_string(report.result.how), report.expected,
                     !total.is_flawless()         ? "FLAWED"
                     : report.result.fell_short() ? "flawless, of the sent packets"
                                                  : "flawless",
                     unverified_senders(report.result.directions));
}

std::string plane_line(generate_report const& report) {
  auto const& plane = report.plane;
  if (!plane) return {};
  std::string latency;
  if (auto const& took = report.plane_latency_us) {
    latency = fmt::format("   rx to ready to send p50 {} p99 {} p99.9 {}", format_duration(took->p50 * 1e3),
                          format_duration(took->p99 * 1e3), format_duration(took->p999 * 1e3));
  }
  return fmt::format("between   rx {}   tx {}   dropped {}{}\n", with_separators(plane->rx_packets),
                     with_separators(plane->tx_packets), with_separators(plane->dropped_packets), latency);
}

std::string table_of(std::vector<traffic::direction_result> const& directions) {
  std::vector<text_table::column> columns{{"from"}, {"to"}, {"sent"}, {"received"}};
  for (auto const& n : named_counts) columns.push_back({n.heading});
  text_table table{std::move(columns)};
  for (auto const& d : directions) {
    std::vector<std::string> cells{fmt::format("port {}", d.from.value()),
                                   d.to ? fmt::format("port {}", d.to->value()) : "-",
                                   with_separators(d.what.sent.packets), with_separators(d.what.received.packets)};
    for (auto const& n : named_counts) cells.push_back(with_separators(d.what.*n.count));
    table.add_row(std::move(cells));
  }
  return table.text();
}

nlohmann::ordered_json json_of(telemetry::traffic const& moved, double seconds) {
  auto const rate = [&](double amount, double unit) -> nlohmann::ordered_json {
    if (seconds <= 0) return nullptr;
    return per_second(amount, seconds) / unit;
  };
  return {{"packets", moved.packets},
          {"bytes", moved.bytes},
          {"seconds", seconds},
          {"mpps", rate(static_cast<double>(moved.packets), 1e6)},
          {"gbps_l2", rate(moved.l2_bits(), 1e9)},
          {"gbps_l1", rate(moved.l1_bits(), 1e9)}};
}

// The share of the requested rate.
nlohmann::ordered_json json_of(traffic::kept_pace const& pace) {
  auto const reached = pace.reached();
  return reached ? nlohmann::ordered_json(*reached) : nlohmann::ordered_json(nullptr);
}

void add_counts(nlohmann::ordered_json& to, outcome const& what) {
  for (auto const& n : named_counts) to[n.key] = what.*n.count;
}

nlohmann::ordered_json json_of(telemetry::histogram_snapshot const& latency, double cycles_per_second) {
  if (latency.is_empty()) return nullptr;
  auto const us = [&](double cycles) { return nanoseconds_of(cycles, cycles_per_second) / 1e3; };
  nlohmann::ordered_json made{
      {"samples", latency.count()}, {"min", us(static_cast<double>(latency.min()))}, {"mean", us(latency.mean())}};
  for (auto const& p : named_percentiles) made[p.key] = us(static_cast<double>(latency.percentile(p.percent)));
  made["max"] = us(static_cast<double>(latency.max()));
  return made;
}

nlohmann::ordered_json json_of(std::vector<traffic::direction_result> const& directions) {
  auto all = nlohmann::ordered_json::array();
  for (auto const& d : directions) {
    nlohmann::ordered_json one{{"from", d.from.value()}, {"to", nullptr}};
    if (d.to) one["to"] = d.to->value();
    one["sent"] = d.what.sent.packets;
    one["rate_reached"] = json_of(d.pace);
    one["received"] = d.what.received.packets;
    add_counts(one, d.what);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::string to_text(generate_report const& report) {
  auto const& r = report.result;
  auto text =
      fmt::format("packetwarp {} generate: {}, {}{}; ended by {}\n\n", PACKETWARP_VERSION, report.traffic, report.rate,
                  report.through.empty() ? "" : fmt::format(", through \"{}\"", report.through), report.ended_by);
  text += rate_line("sent", r.total.sent, r.sending_seconds) + shortfall_line(report);
  if (r.how != traffic::verification::none) text += rate_line("received", r.total.received, r.receiving_seconds);
  text += plane_line(report) + latency_line(r) + verdict_line(report) + '\n' + table_of(r.directions);
  return r.answers ? text + '\n' + text_of(*r.answers, r.cycles_per_second) : text;
}

std::string to_json(generate_report const& report) {
  auto const& r = report.result;
  nlohmann::ordered_json made{{"command", "generate"},
                              {"version", PACKETWARP_VERSION},
                              {"traffic", report.traffic},
                              {"rate", report.rate},
                              {"rate_reached", json_of(r.pace)},
                              {"fell_short", r.fell_short()},
                              {"through", nullptr},
                              {"ended_by", report.ended_by},
                              {"verification", to_string(r.how)},
                              {"expected", report.expected},
                              {"flawless", r.total.is_flawless()},
                              {"sent", json_of(r.total.sent, r.sending_seconds)},
                              {"received", json_of(r.total.received, r.receiving_seconds)}};
  if (!report.through.empty()) made["through"] = report.through;
  if (auto const& plane = report.plane) {
    made["data_plane"] = {{"rx", plane->rx_packets},
                          {"tx", plane->tx_packets},
                          {"dropped", plane->dropped_packets},
                          {"latency_us", nullptr}};
    if (auto const& took = report.plane_latency_us) {
      made["data_plane"]["latency_us"] = {{"p50", took->p50}, {"p99", took->p99}, {"p999", took->p999}};
    }
  }
  add_counts(made, r.total);
  made["latency_us"] = json_of(r.latency, r.cycles_per_second);
  made["directions"] = json_of(r.directions);
  if (r.answers) made["answers"] = json_of(*r.answers, r.cycles_per_second);
  return made.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string live_line(traffic::live_period const& p) {
  auto const rate = [&](double amount, std::string_view unit) {
    return with_unit(per_second(amount, p.seconds), unit);
  };
  telemetry::traffic const sent{p.to.sent.packets - p.from.sent.packets, p.to.sent.bytes - p.from.sent.bytes};
  auto const received = p.to.received.packets - p.from.received.packets;
  return fmt::format("{:>7.1f} s   sent {:>9}   {:>9} L1   received {:>9}   not back {:>8}   unknown {:>8}",
                     p.elapsed_seconds, rate(static_cast<double>(sent.packets), "pps"), rate(sent.l1_bits(), "b/s"),
                     rate(static_cast<double>(received), "pps"), with_separators(p.to.lost),
                     with_separators(p.to.unknown));
}

}  // namespace packetwarp
