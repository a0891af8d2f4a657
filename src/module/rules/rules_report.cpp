// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/rules_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

#include "telemetry/text_table.h"

namespace packetwarp {
namespace {

using nlohmann::ordered_json;

[[nodiscard]] telemetry::labels labels_of(rule_report const& r) {
  telemetry::labels all{{"port", std::to_string(r.port)}, {"rule", std::to_string(r.number)}, {"on", r.on}};
  if (!r.interface.empty()) all.push_back({"interface", r.interface});
  return all;
}

[[nodiscard]] ordered_json number_or_null(std::optional<std::uint64_t> n) {
  return n ? ordered_json(*n) : ordered_json(nullptr);
}

}  // namespace

ordered_json rules_report::object() const {
  auto all = ordered_json::array();
  for (auto const& r : rules_) {
    all.push_back(ordered_json{{"port", r.port},
                               {"number", r.number},
                               {"line", r.line == 0 ? ordered_json(nullptr) : ordered_json(r.line)},
                               {"group", r.group},
                               {"priority", r.priority},
                               {"on", r.on},
                               {"why", r.why.empty() ? ordered_json(nullptr) : ordered_json(r.why)},
                               {"hits", number_or_null(r.hits)},
                               {"bytes", number_or_null(r.bytes)}});
  }
  return all;
}

// For rules that count.
void rules_report::add_metrics(telemetry::metrics_text& to) const {
  to.begin({"rule_hits", "counter", "Packets that a flow rule was for."});
  for (auto const& rule : rules_) {
    if (rule.hits) to.sample(labels_of(rule), *rule.hits);
  }
  to.begin({"rule_bytes", "counter", "Bytes of these.", "bytes"});
  for (auto const& rule : rules_) {
    if (rule.bytes) to.sample(labels_of(rule), *rule.bytes);
  }
}

std::vector<std::pair<std::string, std::uint64_t>> rules_report::numbers(std::size_t most) const {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (auto const& rule : rules_) {
    if (rule.hits && all.size() < most) all.emplace_back(fmt::format("{}/{}", rule.port, rule.number), *rule.hits);
  }
  return all;
}

std::string rules_report::line() const {
  std::map<std::string, std::uint64_t> by_site;
  for (auto const& rule : rules_) ++by_site[rule.on];
  std::string where;
  for (auto const site : {"nic", "gpu", "cpu"}) {
    auto const n = by_site[site];
    if (n != 0) where += fmt::format("{}{} on {}", where.empty() ? ": " : ", ", telemetry::with_separators(n), site);
  }
  return fmt::format("rules    {}{}\n", telemetry::with_separators(rules_.size()), where);
}

std::string rules_report::table() const {
  constexpr auto left = telemetry::text_table::align::left;
  constexpr std::size_t most_rows = 20;
  telemetry::text_table table{{{"port"}, {"rule"}, {"group"}, {"priority"}, {"on", left}, {"hits"}, {"bytes"}}};
  std::size_t counted = 0;
  for (auto const& r : rules_) {
    if (!r.hits || ++counted > most_rows) continue;
    table.add_row({std::to_string(r.port), std::to_string(r.number), std::to_string(r.group),
                   std::to_string(r.priority), r.on, telemetry::with_separators(*r.hits),
                   telemetry::with_separators(r.bytes.value_or(0))});
  }
  if (counted == 0) return {};
  auto const rest = counted > most_rows ? fmt::format("and {} more rules that count\n", counted - most_rows) : "";
  return '\n' + table.text() + rest;
}

}  // namespace packetwarp
