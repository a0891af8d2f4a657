// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string>

#include "base/error.h"
#include "base/log/log.h"
#include "base/units.h"
#include "cli/inspect/tasks.h"
#include "cli/inspect/variable_check.h"
#include "cli/result_file.h"
#include "file/distinct_files.h"
#include "inspect/compiled/compile.h"
#include "inspect/language/coverage.h"
#include "inspect/language/rule_file.h"
#include "model/printable.h"
#include "telemetry/text_table.h"

namespace packetwarp {
namespace {

using telemetry::text_table;
using telemetry::with_separators;

[[nodiscard]] std::string_view reason_of(inspect::gap_kind kind) {
  return kind == inspect::gap_kind::not_in_language ? "not read" : "read, not inspected yet";
}

void print_problems(std::vector<std::string> const& problems) {
  constexpr std::size_t most = 100;
  for (std::size_t i = 0; i < std::min(most, problems.size()); ++i) fmt::print(stderr, "{}\n", problems[i]);
  if (problems.size() > most) fmt::print(stderr, "... and {} more malformed rules\n", problems.size() - most);
}

void print_table(inspect::rule_set const& rules, inspect::coverage const& cover, std::size_t bytes) {
  using enum text_table::align;
  text_table missing{{{"keyword", left}, {"reason", left}, {"kept out"}, {"alone"}, {"first", left}}};
  for (auto const& row : cover.missing) {
    missing.add_row({model::printable(row.keyword), std::string{reason_of(row.kind)}, with_separators(row.rules),
                     with_separators(row.alone), row.first});
  }
  if (!cover.missing.empty()) fmt::print("{}\n", missing.text());
  fmt::print("files       {}\n", rules.files.size());
  fmt::print("read        {} rules\n", with_separators(cover.rules));
  fmt::print("malformed   {} rules\n", with_separators(rules.problems.size()));
  if (cover.replaced != 0) {
    fmt::print("replaced    {} rules: a higher rev of each is there, or the same rule\n",
               with_separators(cover.replaced));
  }
  if (cover.alike != 0) {
    fmt::print("alike       {} rules, which have the sid and the rev of one before them\n",
               with_separators(cover.alike));
  }
  fmt::print("usable      {} rules, {} in memory\n", with_separators(cover.usable), format_size(bytes));
  fmt::print("in streams  {} of the usable rules, which are searched in streams of TCP\n",
             with_separators(cover.in_streams));
}

// The rules that are not usable, each with its keywords.
[[nodiscard]] nlohmann::ordered_json rules_left_out(inspect::rule_set const& rules) {
  nlohmann::ordered_json made = nlohmann::ordered_json::array();
  for (auto const& one : rules.rules) {
    if (one.gaps.empty()) continue;
    nlohmann::ordered_json keywords = nlohmann::ordered_json::array();
    for (auto const& gap : one.gaps) keywords.push_back(gap.keyword);
    made.push_back({{"gid", one.gid},
                    {"sid", one.sid},
                    {"place", fmt::format("{}:{}", rules.files[one.file], one.line)},
                    {"missing", keywords}});
  }
  return made;
}

[[nodiscard]] std::string check_json(inspect::rule_set const& rules, inspect::coverage const& cover,
                                     std::size_t bytes) {
  nlohmann::ordered_json missing = nlohmann::ordered_json::array();
  for (auto const& row : cover.missing) {
    missing.push_back({{"keyword", row.keyword},
                       {"reason", reason_of(row.kind)},
                       {"kept_out", row.rules},
                       {"alone", row.alone},
                       {"first", row.first}});
  }
  nlohmann::ordered_json const made{{"files", rules.files},
                                    {"rules_read", cover.rules},
                                    {"rules_malformed", rules.problems.size()},
                                    {"rules_replaced", cover.replaced},
                                    {"rules_alike", cover.alike},
                                    {"rules_usable", cover.usable},
                                    {"rules_in_streams", cover.in_streams},
                                    {"bytes", bytes},
                                    {"missing", missing},
                                    {"left_out", rules_left_out(rules)},
                                    {"malformed", rules.problems}};
  return made.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

int check_inspect_rules(inspect_options const& options) {
  require_distinct_files(options.rules, std::array{options.json});
  result_file result{options.json};
  auto const rules = inspect::read_rule_files(options.rules, options.known);
  auto const cover = inspect::coverage_of(rules);
  auto const bytes = inspect::compile_rules(rules).bytes();
  print_problems(rules.problems);
  warn_of_unused_variables(options, rules);
  if (!result.is_standard_output()) print_table(rules, cover, bytes);
  result.write(check_json(rules, cover, bytes));
  if (!rules.problems.empty()) return exit_usage;
  if (cover.usable == 0) {
    log().error("no rule is usable, and a run refuses these files");
    return exit_failure;
  }
  bool const is_complete = cover.usable == cover.rules;
  return is_complete || options.demand == inspect_options::rule_demand::report ? exit_success : exit_failure;
}

}  // namespace packetwarp
