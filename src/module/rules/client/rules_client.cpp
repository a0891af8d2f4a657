// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/client/rules_client.h"

#include <fmt/format.h>

#include <array>
#include <variant>

#include "flow/parser.h"
#include "module/client/cells.h"

namespace packetwarp {

namespace help {
extern std::string_view const flow;  // flow.txt
}

namespace {

constexpr char rule_form[] = "{:<12}  {:>5}  {:>5}  {:>8}  {:<4}  {:>14}  {:>16}  {:<10}  {}";

[[nodiscard]] std::string rule_line(json const& row) {
  auto const line = number_of(row, "line");
  return fmt::format(rule_form, word_of(row, "interface"), number_of(row, "rule"), number_of(row, "group"),
                     number_of(row, "priority"), word_of(row, "on"), count_of(row, "hits"), count_of(row, "bytes"),
                     line == "-" ? "command" : "line " + line, word_of(row, "text"));
}

[[nodiscard]] listing rule_listing() {
  return {.rows = "rules",
          .heading =
              fmt::format(rule_form, "interface", "rule", "group", "priority", "on", "hits", "bytes", "origin", "rule"),
          .line = rule_line};
}

// An unknown command is reported whether a packetwarp runs or not.
request_effect check_flow(std::string const& text) {
  auto const what = flow::parse_command(text).what;
  bool const only_reads = std::holds_alternative<flow::list_rules>(what) ||
                          std::holds_alternative<flow::query_rule>(what) ||
                          std::holds_alternative<flow::validate_rule>(what);
  return only_reads ? request_effect::reads : request_effect::changes;
}

[[nodiscard]] std::vector<std::string> rule_table(telemetry::report_change const& seen, telemetry::row_order order,
                                                  std::size_t width) {
  using namespace telemetry;
  constexpr auto left = text_table::align::left;
  ranked_table table{
      {{"port"}, {"rule"}, {"line"}, {"group"}, {"priority"}, {"on", left}, {"hits"}, {"rate"}, {"bytes"}}};
  for (auto const& one : part(seen.now(), "rules")) {
    auto const& before = like(part(seen.before(), "rules"), one, {"port", "number"});
    auto const rate = seen.rate(number(before, "hits"), number(one, "hits"));
    bool const counts = part(one, "hits").is_number();
    table.add(rate, {text(one, "port"), text(one, "number"), text(one, "line"), text(one, "group"),
                     text(one, "priority"), text(one, "on"), counts ? with_separators(count(one, "hits")) : "-",
                     counts ? rate_text(rate, "pps") : "-", counts ? with_separators(count(one, "bytes")) : "-"});
  }
  return table.lines(order, width);
}

constexpr std::array nouns_of_rules{
    shown_noun{.name = "rules",
               .help = "  rules                    flow rules, where each runs, and how often they hit\n",
               .rows = rule_listing,
               .of_one_moment = "rules"}};

}  // namespace

module_client rules_client() {
  static std::array const commands{client_command{
      .name = "flow", .summary = "the flow rules of a running network", .page = help::flow, .check = check_flow}};
  return {.nouns = nouns_of_rules, .commands = commands, .screen = {.page = "rules", .table = rule_table}};
}

}  // namespace packetwarp
