// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/flow_requests.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <variant>

#include "base/error.h"
#include "flow/grammar.h"
#include "flow/parser.h"
#include "module/rules/rules_source.h"
#include "module/rules/rules_work.h"
#include "module/tables_change.h"

namespace packetwarp {
namespace {

[[nodiscard]] json text_result(std::string text) { return {{"text", std::move(text)}}; }

// The state of a port's rules, by their numbers.
[[nodiscard]] std::map<std::uint32_t, rule_status> status_of(rule_tables const& rules, port_id port) {
  std::map<std::uint32_t, rule_status> all;
  for (auto& one : rules.status()) {
    if (one.port == port) all.emplace(one.rule->number, std::move(one));
  }
  return all;
}

// testpmd's table with two more columns before the rule.
[[nodiscard]] std::string list_text(rule_tables const& rules, flow::command const& asked) {
  auto const known = status_of(rules, asked.port);
  std::istringstream lines{rules.book().list(asked.port, std::get<flow::list_rules>(asked.what).groups)};
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    auto const rule = line.rfind('\t') + 1;
    std::string columns = "Site\tHits\t";
    if (!text.empty()) {
      auto const& one = known.at(static_cast<std::uint32_t>(std::stoul(line)));
      columns = fmt::format("{}\t{}\t", to_string(one.site), one.seen ? std::to_string(one.seen->hits) : "-");
    }
    text += line.insert(rule, columns) + '\n';
  }
  return text;
}

[[nodiscard]] std::string query_text(rule_tables const& rules, flow::command const& asked) {
  auto const& query = std::get<flow::query_rule>(asked.what);
  (void)rules.book().at(asked.port, query.rule);
  if (query.action != flow::action_kind::count) {
    throw usage_error("flow query: only 'count' can be asked for; give: flow query PORT RULE count");
  }
  auto const seen = status_of(rules, asked.port).at(query.rule).seen;
  if (!seen) {
    throw usage_error(fmt::format("flow rule {} of port {} counts nothing; create it with 'count' among its actions",
                                  query.rule, asked.port.value()));
  }
  return flow::query_text(*seen);
}

[[nodiscard]] request_work answer_with(std::string text) {
  return [line = success_line(text_result(std::move(text)))] { return std::optional{line}; };
}

[[nodiscard]] request_work validate(rule_tables const& rules, flow::command const& asked) {
  return [&rules, asked] {
    auto const from = rules.state();
    auto wanted = from.book;
    auto const number = wanted.create(asked.port, std::get<flow::validate_rule>(asked.what).what);
    auto const made = want_rules(from, std::move(wanted), "flow");
    // A NIC may refuse a rule that tables can apply.
    if (from.on == rules_on::nic) rules.ports().require_taken(asked.port, made.book.at(asked.port, number), "flow");
    return std::optional{success_line(text_result("Flow rule validated\n"))};
  };
}

[[nodiscard]] request_work change(rule_tables& rules, change_turns& turns, flow::command const& asked) {
  // The printed text follows from the book that the change makes, once it has its `turn`.
  auto const text = std::make_shared<std::string>();
  std::vector<std::unique_ptr<module_change>> changes;
  changes.push_back(std::make_unique<rules_work>(
      rules,
      [asked, text](flow::rule_book const& from) {
        auto wanted = from;
        *text = wanted.apply(asked);
        return wanted;
      },
      "flow"));
  auto const edit = std::make_shared<tables_change>(turns, nullptr, std::move(changes));
  return [edit, text] { return edit->step() ? std::optional{success_line(text_result(*text))} : std::nullopt; };
}

}  // namespace

request_work carry_out_flow(request const& asked, rule_tables& rules, run_view& run) {
  asked.require_known({"text"});
  auto const command = flow::parse_command(asked.find("text").value_or(""));
  require_known_port(rules.queues(), command.port);
  if (std::holds_alternative<flow::list_rules>(command.what)) return answer_with(list_text(rules, command));
  for (auto const& port : run.plane().ports()) {
    if (port.facts().id == command.port) require_here(port);
  }
  if (std::holds_alternative<flow::query_rule>(command.what)) return answer_with(query_text(rules, command));
  if (std::holds_alternative<flow::validate_rule>(command.what)) return validate(rules, command);
  return change(rules, run.turns(), command);
}

}  // namespace packetwarp
