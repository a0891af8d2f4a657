// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/flow_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/thread/background.h"
#include "flow/grammar.h"
#include "flow/parser.h"
#include "module/rows.h"
#include "module/rules/rules_source.h"
#include "module/rules/rules_work.h"
#include "module/tables_change.h"

namespace packetwarp {
namespace {

[[nodiscard]] json text_result(std::string text) { return {{"text", std::move(text)}}; }

// A rule's count may be in a NIC, or in a GPU's memory, so this many per slice.
constexpr std::size_t listed_a_slice = 64;

// testpmd's table with two more columns before the rule.
class rule_list {
 public:
  rule_list(rule_tables const& rules, flow::command const& asked)
      : rules_{rules}, port_{asked.port}, groups_{std::get<flow::list_rules>(asked.what).groups} {
    begin();
  }

  [[nodiscard]] std::optional<std::string> step() {
    if (version_ != rules_.version()) begin();
    for (auto const end = std::min(done_ + listed_a_slice, listed_.size()); done_ < end; ++done_) {
      auto const& one = *listed_[done_];
      auto const known = rules_.status(flow::rule_key{port_, one.number});
      add(flow::list_line(one),
          fmt::format("{}\t{}\t", to_string(known.site), known.seen ? std::to_string(known.seen->hits) : "-"));
    }
    if (done_ < listed_.size()) return std::nullopt;
    return success_line_of(fmt::format(R"({{"text":"{}"}})", text_));
  }

 private:
  void begin() {
    version_ = rules_.version();
    listed_ = rules_.book().listed(port_, groups_);
    done_ = 0;
    text_.clear();
    if (!rules_.book().rules_of(port_).empty()) add(std::string{flow::list_head}, "Site\tHits\t");
  }
  void add(std::string line, std::string const& columns) {
    auto const quoted = json_text(line.insert(line.rfind('\t') + 1, columns));
    text_.append(quoted, 1, quoted.size() - 2);
  }

  rule_tables const& rules_;
  port_id port_;
  std::vector<std::uint32_t> groups_;
  std::uint64_t version_{};
  std::vector<flow::numbered_rule const*> listed_;  // the book's, while the version is the same
  std::size_t done_{};
  std::string text_;  // escaped for JSON
};

// A line about a rule, whose number says nothing because the rule is never created.
[[nodiscard]] std::string without_number(std::string_view line, flow::rule_key const& of) {
  auto const name = fmt::format("flow rule {} of port {}: ", of.second, of.first.value());
  if (!line.starts_with(name)) return std::string{line};
  return fmt::format("flow validate: {}", line.substr(name.size()));
}

// Plans a change that never follows.
class rule_validation {
 public:
  rule_validation(rule_tables const& rules, flow::command const& asked)
      : rules_{rules}, asked_{asked}, wanting_{in_background([from = rules.state(), asked] {
          auto wanted = from.book;
          auto const number = wanted.create(asked.port, std::get<flow::validate_rule>(asked.what).what);
          try {
            auto made = want_rules(from, std::move(wanted), "flow");
            return made.book.at(asked.port, number);
          } catch (usage_error const& error) {
            throw usage_error(without_number(error.what(), {asked.port, number}));
          }
        })} {}

  [[nodiscard]] std::optional<std::string> step() {
    if (wanting_.wait_for(std::chrono::seconds{0}) != std::future_status::ready) return std::nullopt;
    auto const rule = wanting_.get();
    // A NIC may refuse a rule that tables can apply.
    if (rules_.runs_on() == rules_on::nic) rules_.ports().require_taken(asked_.port, rule, "flow");
    return success_line(text_result("Flow rule validated\n"));
  }

 private:
  rule_tables const& rules_;
  flow::command asked_;
  std::future<flow::numbered_rule> wanting_;
};

[[nodiscard]] request_work answer_with(std::string text) {
  return [line = success_line(text_result(std::move(text)))] { return std::optional{line}; };
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

request_work list_flow(rule_tables const& rules, flow::command const& asked) {
  return [list = rule_list{rules, asked}]() mutable { return list.step(); };
}

request_work validate_flow(rule_tables const& rules, flow::command const& asked) {
  return [work = std::make_shared<rule_validation>(rules, asked)] { return work->step(); };
}

std::string query_flow(rule_tables const& rules, flow::command const& asked) {
  auto const& query = std::get<flow::query_rule>(asked.what);
  (void)rules.book().at(asked.port, query.rule);
  if (query.action != flow::action_kind::count) {
    throw usage_error("flow query: only 'count' can be asked for; give: flow query PORT RULE count");
  }
  auto const seen = rules.status(flow::rule_key{asked.port, query.rule}).seen;
  if (!seen) {
    throw usage_error(fmt::format("flow rule {} of port {} counts nothing; create it with 'count' among its actions",
                                  query.rule, asked.port.value()));
  }
  return flow::query_text(*seen);
}

request_work carry_out_flow(request const& asked, rule_tables& rules, run_view& run) {
  asked.require_known({"text"});
  auto const command = flow::parse_command(asked.find("text").value_or(""));
  require_known_port(rules.queues(), command.port);
  if (std::holds_alternative<flow::list_rules>(command.what)) return list_flow(rules, command);
  for (auto const& port : run.plane().ports()) {
    if (port.facts().id == command.port) require_here(port);
  }
  if (std::holds_alternative<flow::query_rule>(command.what)) return answer_with(query_flow(rules, command));
  if (std::holds_alternative<flow::validate_rule>(command.what)) return validate_flow(rules, command);
  return change(rules, run.turns(), command);
}

}  // namespace packetwarp
