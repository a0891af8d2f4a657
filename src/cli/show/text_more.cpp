// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/show/cells.h"
#include "cli/show/text.h"

namespace packetwarp {
namespace {

constexpr char nat_form[] = "{:<13}  {:<21}  {:<21}  {:<10}  {:>9}  {:>9}  {:>9}";
constexpr char rule_form[] = "{:<12}  {:>5}  {:>5}  {:>8}  {:<4}  {:>14}  {:>16}  {:<10}  {}";

// 0 stands for any number.
[[nodiscard]] std::string limit_of(json const& limits, char const* key) {
  return limits.value(key, std::uint64_t{}) == 0 ? "any number" : count_of(limits, key);
}

[[nodiscard]] std::string nat_summary(json const& page) {
  auto const sessions = page.find("sessions");
  if (sessions == page.end()) return {};
  auto const of = [&](char const* key) { return count_of(*sessions, key); };
  auto const& limits = page.at("limits");
  auto const& settings = page.at("settings");
  auto const& timeouts = settings.at("timeouts");
  auto text = fmt::format("sessions   {} of {}: udp {}, tcp {}, icmp {}; {} of them configured\n", of("live"),
                          of("room"), of("udp"), of("tcp"), of("icmp"), of("configured"));
  text += fmt::format("           made {}, ended {} ({} early), not tracked {}, not logged {}, conflicts {}\n",
                      of("made"), of("ended"), of("evicted"), of("untracked"), of("unlogged"), of("conflicts"));
  text += fmt::format(
      "limits     sessions of a host {}, of a /{} {}; ports {} to {} of each address and protocol, of a /{} {}\n",
      limit_of(limits, "sessions_per_host"), number_of(limits, "share_prefix"), limit_of(limits, "sessions_per_prefix"),
      number_of(limits, "first_port"), number_of(limits, "last_port"), number_of(limits, "share_prefix"),
      limit_of(limits, "ports_per_prefix"));
  text += fmt::format("settings   filtering {}, pooling {}, forwarding {}\n", word_of(settings, "filtering"),
                      word_of(settings, "pooling"), settings.value("forwarding", false) ? "on" : "off");
  return text + fmt::format("time-outs  udp {} s, tcp {} s established and {} s else, icmp {} s\n\n",
                            number_of(timeouts, "udp"), number_of(timeouts, "tcp_established"),
                            number_of(timeouts, "tcp_transitory"), number_of(timeouts, "icmp"));
}

[[nodiscard]] std::string nat_line(json const& row) {
  auto const use = word_of(row, "use");
  auto const protocol = word_of(row, "protocol");
  return fmt::format(nat_form, protocol == "-" ? use : "forward " + protocol, word_of(row, "outside"),
                     word_of(row, "inside"), word_of(row, "interface"), count_of(row, "udp"), count_of(row, "tcp"),
                     count_of(row, "icmp"));
}

[[nodiscard]] std::string rule_line(json const& row) {
  auto const line = number_of(row, "line");
  return fmt::format(rule_form, word_of(row, "interface"), number_of(row, "rule"), number_of(row, "group"),
                     number_of(row, "priority"), word_of(row, "on"), count_of(row, "hits"), count_of(row, "bytes"),
                     line == "-" ? "command" : "line " + line, word_of(row, "text"));
}

}  // namespace

listing nat_listing() {
  return {
      .rows = "outside",
      .heading = fmt::format(nat_form, "use", "outside", "inside", "interface", "udp ports", "tcp ports", "icmp ids"),
      .line = nat_line,
      .above = nat_summary};
}

listing rule_listing() {
  return {.rows = "rules",
          .heading =
              fmt::format(rule_form, "interface", "rule", "group", "priority", "on", "hits", "bytes", "origin", "rule"),
          .line = rule_line};
}

std::string drops_text(json const& said) {
  using align = telemetry::text_table::align;
  auto const& drops = said.at("drops");
  if (drops.empty()) return "no packet was dropped; --all lists the counters\n";
  telemetry::text_table table{
      {{"stage", align::left}, {"drop", align::left}, {"interface", align::left}, {"port"}, {"packets"}}};
  for (auto const& one : drops) {
    table.add_row({word_of(one, "stage"), word_of(one, "drop"), word_of(one, "interface"), number_of(one, "port"),
                   count_of(one, "packets")});
  }
  return table.text();
}

std::string memory_text(json const& said) {
  using align = telemetry::text_table::align;
  telemetry::text_table table{{{"what", align::left},
                               {"of", align::left},
                               {"used"},
                               {"room"},
                               {"unit", align::left},
                               {"bytes"},
                               {"GPU bytes"}}};
  for (auto const& one : said.at("memory")) {
    table.add_row({word_of(one, "what"), word_of(one, "of"), count_of(one, "used"), count_of(one, "room"),
                   word_of(one, "unit"), count_of(one, "bytes"), count_of(one, "gpu_bytes")});
  }
  return table.text();
}

}  // namespace packetwarp
